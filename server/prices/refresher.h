/* The thread that refreshes feeds, one at a time, each at its own interval with jitter. At start
 * it asks the cloud for this machine's identity. */
#pragma once

#include "server/base/config.h"
#include "server/base/this_machine.h"
#include "server/prices/feeds.h"

struct refresher;

struct refresher_parts {
    const struct config *config;
    const struct feeds *feeds;
    struct this_machine *this_machine;
};

MUST_USE struct refresher *refresher_start(const struct refresher_parts *parts,
                                           struct error *err);

/* Requests a refresh of one feed (NULL: of all that are on). With `accept`, prices are stored
 * without confirmation. ERROR_CONFLICT while a refresh runs, ERROR_UNABLE if the feed is off. */
MUST_USE bool refresher_ask(struct refresher *refresher, const char *feed, bool accept,
                            struct error *err);

/* The progress of a refresh. */
struct refresh_progress {
    bool running;
    char feed[32], scope[40];       /* the ones being read; "" between two */
    size_t scopes_done, scopes;     /* of that feed */
    size_t feeds_done, feeds;       /* of this refresh */
    long long started_us, ended_us; /* of the refresh under way, or of the last one; 0 never */
};
void refresher_progress(struct refresher *refresher, struct refresh_progress *ret_progress);

/* Whether every feed that was due has been read, and none is being read. */
bool refresher_is_settled(struct refresher *refresher);

/* Whether a feed is on, when it is due (calendar time; 0 if it is off), and the setting that it
 * lacks, or "". */
bool refresher_plan(struct refresher *refresher, const char *feed, long long *ret_due_us,
                    char ret_idle[160]);

/* Interrupts the refresh under way and ends the thread. Both accept NULL. */
void refresher_stop(struct refresher *refresher);
void refresher_free(struct refresher *refresher);
