/* Queues the sweep that measures a failed check again: in turns with the baseline where that runs
 * here, else the candidate alone. */
#pragma once

#include "answers/gate/check.h"
#include "server/base/this_machine.h"

struct gate_queueing {
    long long queue_limit;
    /* Asked how many runs it would queue, before anything is stored. One that refuses says why.
     */
    bool (*may)(void *user, long long runs);
    void *user;
    bool was_there; /* returned: somebody else has just queued the same */
};

/* Queues it. ERROR_UNABLE where the run was measured on another machine, or cannot be run here.
 */
MUST_USE bool gate_queue_confirmation(struct db *db, struct this_machine *here,
                                      struct gate_check *check, struct gate_queueing *queueing,
                                      struct error *err);
