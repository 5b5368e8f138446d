/* The thread that sends each run to a hub as soon as it ends: the machine may be gone a minute
 * later. It sends from the database and records the verdicts there, so a restart loses nothing.
 */
#pragma once

#include "pricing/feeds/fetch.h"
#include "server/base/config.h"
#include "server/hub/hub_upload.h"

struct hub_uploader;

/* Tests replace `fetch` and `pause_ns`; NULL and 0 are the usual ones. */
struct hub_uploader_parts {
    const struct config *config; /* ->report_to must be set; outlives the uploader */
    fetch_fn *fetch;
    void *fetcher;
    long long pause_ns; /* the longest wait between two tries */
};

MUST_USE struct hub_uploader *hub_uploader_start(const struct hub_uploader_parts *parts,
                                                 struct error *err);

/* Call this when a run has ended. It does not shorten a wait that the hub asked for. */
void hub_uploader_wake(struct hub_uploader *uploader);

struct hub_uploader_status {
    char hub[HUB_UPLOAD_HUB_SIZE];
    long long accepted, refused; /* since the start of the thread */
    bool idle;                   /* no run was left to send at the last look */
    char last_error[sizeof((struct error *)0)->message]; /* "" when the last try went well */
    char last_refusal[sizeof((struct hub_upload_outcome *)0)->refusal]; /* since the start of the
                                                                           thread */
};
void hub_uploader_status(struct hub_uploader *uploader, struct hub_uploader_status *ret_status);

/* Waits until every run that ended before this call is reported, or until `deadline_ns`
 * (monotonic). Returns true when none is left to send; the hub may have refused some. */
bool hub_uploader_wait(struct hub_uploader *uploader, long long deadline_ns);

/* Tries now, unless the hub has set a time. For a process that is about to end. */
void hub_uploader_hurry(struct hub_uploader *uploader);

/* Interrupts the request under way and ends the thread. A run whose verdict was not recorded is
 * sent again later; the hub then reports it as known. Accepts NULL. */
void hub_uploader_free(struct hub_uploader *uploader);
