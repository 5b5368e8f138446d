/* Carries sweeps on between runs: the next round of a tune, another try for a run that was
 * interrupted, the end when all is done. What it knows it reads from the database each time, so a
 * killed server goes on where it was. */
#pragma once

#include "db/db.h"
#include "server/base/notifications.h"
#include "server/base/this_machine.h"

/* Of which sweep invalid runs are repeated before it ends, and until when; see sweeps_repeat().
 */
struct sweeper_repeats {
    struct run_id sweep; /* "": of none */
    long long until_ns;  /* monotonic */
};

/* Looks at every sweep that is not over. Called by the runner, which is the only one to end
 * runs. `repeats` may be NULL: none is repeated. Wakes those who watch a sweep that has ended. */
bool sweeper_advance(struct db *db, struct this_machine *here,
                     struct notifications *notifications, const struct sweeper_repeats *repeats,
                     struct error *err) __attribute__((warn_unused_result));
