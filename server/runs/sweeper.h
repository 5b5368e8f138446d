/* Advances sweeps between runs: queues the next round of a tune and another try for an
 * interrupted run, and ends a sweep that is complete. It reads its state from the database each
 * time, so a restarted server goes on where the killed one was. */
#pragma once

#include "db/db.h"
#include "server/base/notifications.h"
#include "server/base/this_machine.h"

/* The sweep whose invalid runs are repeated before it ends, and until when; see sweeps_repeat().
 */
struct sweeper_repeats {
    struct run_id sweep; /* "": of none */
    long long until_ns;  /* monotonic */
};

/* Advances every sweep that has not ended. Only the runner calls it, because only the runner ends
 * runs. With `repeats` NULL, no run is repeated. Notifies the watchers of a sweep that ends. */
bool sweeper_advance(struct db *db, struct this_machine *here,
                     struct notifications *notifications, const struct sweeper_repeats *repeats,
                     struct error *err) __attribute__((warn_unused_result));
