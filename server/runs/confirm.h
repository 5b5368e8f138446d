/* Queues the sweep that measures a failed check again: in turns with the baseline if that can run
 * here, else the candidate alone. */
#pragma once

#include "answers/gate/check.h"
#include "server/base/this_machine.h"

struct gate_queueing {
    long long queue_limit;
    /* Called with the number of runs before anything is stored. To refuse, it replies with the
     * reason and returns false. */
    bool (*may)(void *user, long long runs);
    void *user;
    bool was_there; /* result: another request has just queued the same sweep */
};

/* ERROR_UNABLE if the run was measured on another machine or cannot run here. */
MUST_USE bool gate_queue_confirmation(struct db *db, struct this_machine *here,
                                      struct gate_check *check, struct gate_queueing *queueing,
                                      struct error *err);
