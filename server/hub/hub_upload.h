/* Sends runs to a hub, a batch at a time: reads what is to be reported, asks once, and records
 * what the hub has said. It decides how long to wait after a failure, and leaves the waiting to
 * its caller. One thread at a time. */
#pragma once

#include "db/deliveries.h"
#include "pricing/feeds/fetch.h"
#include "server/hub/hub_reply.h"

/* Of one request; a single longer document goes alone. */
#define HUB_UPLOAD_BATCH_BYTES (1024 * 1024)
/* What a hub takes: a longer document is never sent, and recorded as refused. */
#define HUB_UPLOAD_DOCUMENT_MAX (16 * 1024 * 1024)

struct hub_upload {
    struct db *db;
    const char *hub;   /* its URL, as hub_upload_hub() leaves it */
    const char *token; /* "" for none; never told to anybody but the hub */
    const char *ca;    /* as in struct fetch_request */
    fetch_fn *fetch;
    void *fetcher;
    unsigned chance; /* for jitter; any number */
    /* The rest is zeroed at first. */
    long long after;          /* where this pass through the waiting runs has come to */
    struct error passed_over; /* why it has left one out */
    size_t most;              /* documents of the next batch; 0 is HUB_LINES_MAX */
    int failures;             /* in a row */
};

enum hub_upload_result {
    HUB_UPLOAD_DONE,     /* nothing is left to be sent */
    HUB_UPLOAD_SENT,     /* a batch was sent, and recorded: there may be more */
    HUB_UPLOAD_FAILED,   /* worth another try, which may be made sooner than `wait_ns` says */
    HUB_UPLOAD_DEFERRED, /* the hub said when to come back, or that we are doing something wrong
                          */
};

struct hub_upload_outcome {
    enum hub_upload_result result;
    long long wait_ns;                      /* of a failure: until the next try */
    long long accepted, refused;            /* recorded by this call */
    struct error error;                     /* of a failure */
    char refusal[DELIVERY_REASON_MAX + 48]; /* of the first run that was refused: its id, why */
};

/* One request at most. */
void hub_upload_send(struct hub_upload *upload, struct hub_upload_outcome *ret_outcome);

/* A hub's URL as we name it: without slashes at its end. */
#define HUB_UPLOAD_HUB_SIZE 304
void hub_upload_hub(const char *url, char ret_hub[HUB_UPLOAD_HUB_SIZE]);
