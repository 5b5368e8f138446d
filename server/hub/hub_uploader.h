/* The thread that reports to a hub what was measured here, as soon as there is something: a
 * machine may be gone a minute later. The database is what it sends from and where it records
 * what was answered, so nothing depends on this thread's memory. */
#pragma once

#include "pricing/feeds/fetch.h"
#include "server/base/config.h"
#include "server/hub/hub_upload.h"

struct hub_uploader;

/* What may be another thing in tests; `fetch` NULL is the real one, and so is a pause of 0. */
struct hub_uploader_parts {
    const struct config *config; /* ->report_to must be set; lives as long as the outbox */
    fetch_fn *fetch;
    void *fetcher;
    long long pause_ns; /* waits at most so long between two tries */
};

struct hub_uploader *hub_uploader_start(const struct hub_uploader_parts *parts, struct error *err)
    __attribute__((warn_unused_result));

/* A run has ended. A hub that has asked for patience gets it all the same. */
void hub_uploader_wake(struct hub_uploader *uploader);

struct hub_uploader_status {
    char hub[HUB_UPLOAD_HUB_SIZE];
    long long accepted, refused; /* since the start of the thread */
    bool idle;                   /* nothing was left to be sent when it last looked */
    char last_error[sizeof((struct error *)0)->message]; /* "" when the last try went well */
    char last_refusal[sizeof((struct hub_upload_outcome *)0)->refusal]; /* of the thread's life */
};
void hub_uploader_status(struct hub_uploader *uploader, struct hub_uploader_status *ret_status);

/* Waits until all that ended before this call is reported, but not beyond `deadline_ns`
 * (monotonic). True when nothing is left to be sent, though some of it may have been refused. */
bool hub_uploader_wait(struct hub_uploader *uploader, long long deadline_ns);

/* Tries now, unless the hub has said when to come back: the end is near. */
void hub_uploader_hurry(struct hub_uploader *uploader);

/* Ends what is under way, and the thread. What was not recorded is sent again one day, and the
 * hub knows it then. NULL is fine. */
void hub_uploader_free(struct hub_uploader *uploader);
