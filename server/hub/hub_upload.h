/* Sends runs to a hub, a batch at a time: reads the runs that wait, makes one request, and
 * records the hub's verdicts. When no run waits, it sends the preemptions that this machine saw,
 * one in a request. After a failure it computes the time to wait (less in haste,
 * common/haste.h), and the caller waits.
 * One thread at a time. */
#pragma once

#include "common/chance.h"
#include "common/limits.h"
#include "db/runs/deliveries.h"
#include "pricing/feeds/fetch.h"
#include "server/hub/hub_reply.h"
#include "server/keys/signing.h"

/* The size of one request; a longer document goes alone. */
#define HUB_UPLOAD_BATCH_BYTES (1024 * 1024)
/* The hub's limit: a longer document is recorded as refused without being sent. */

struct hub_upload {
    struct db *db;
    const char *hub;               /* its URL, as hub_upload_hub() leaves it */
    const char *token;             /* "" for none; sent only to the hub */
    const struct signing_key *key; /* signs the documents; NULL: they are not signed */
    const char *ca;                /* as in struct fetch_request */
    fetch_fn *fetch;
    void *fetcher;
    struct chance chance; /* for jitter */
    /* The caller zeroes the rest. */
    long long after; /* the last run of this pass that was handled; 0 at the start of a pass */
    struct error passed_over; /* why this pass left out a run */
    size_t most;              /* documents in the next batch; 0 is HUB_LINES_MAX */
    int failures;             /* in a row */
};

enum hub_upload_result {
    HUB_UPLOAD_DONE,     /* nothing is left to send */
    HUB_UPLOAD_SENT,     /* a batch was sent and recorded; more runs may wait */
    HUB_UPLOAD_FAILED,   /* try again, after `wait_ns` or sooner */
    HUB_UPLOAD_DEFERRED, /* try again, but not before `wait_ns` */
};

struct hub_upload_outcome {
    enum hub_upload_result result;
    long long wait_ns;                      /* of a failure: until the next try */
    long long accepted, refused;            /* recorded by this call */
    struct error error;                     /* of a failure */
    char refusal[DELIVERY_REASON_MAX + 48]; /* id and reason of the first refused run */
    char event_refusal[40];                 /* why the hub does not take a preemption; or "" */
};

/* Makes one request at most. */
void hub_upload_send(struct hub_upload *upload, struct hub_upload_outcome *ret_outcome);

/* Copies a hub's URL without slashes at its end. */
#define HUB_UPLOAD_HUB_SIZE 304
void hub_upload_hub(const char *url, char ret_hub[HUB_UPLOAD_HUB_SIZE]);
