/* Advances sweeps between runs: queues the next round of a tune and another try for an
 * interrupted run, and ends a sweep that is complete. It reads its state from the database each
 * time, so it continues after a restart. */
#pragma once

#include "db/db.h"
#include "server/base/notifications.h"
#include "server/base/this_machine.h"

/* The sweep whose invalid runs are repeated, and the end of repeating; see sweeps_repeat(). */
struct sweeper_repeats {
    struct run_id sweep; /* "": of none */
    long long until_ns;  /* monotonic */
};

struct sweeper_parts {
    struct db *db;
    struct this_machine *here;
    struct notifications *notifications;   /* the watchers of each sweep that is advanced */
    const struct sweeper_repeats *repeats; /* NULL: no run is repeated */
};

/* Advances one sweep, unless it has ended. Only the runner calls it, because only the runner ends
 * runs. */
MUST_USE bool sweeper_advance(const struct sweeper_parts *parts, const struct run_id *sweep,
                              struct error *err);

/* The same for every sweep that has not ended: too slow for the end of each run. */
MUST_USE bool sweeper_advance_all(const struct sweeper_parts *parts, struct error *err);
