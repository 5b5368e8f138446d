/* Finds both sides of a check in the database. */
#pragma once

#include "answers/gate/check.h"

/* Loads both sides and an earlier confirmation, if any, and judges them. Free the result with
 * gate_check_freep(). NULL with err filled: ERROR_CONFLICT if a run has not finished, with its id
 * in *ret_waits_for if it still may; ERROR_UNABLE if machines or workloads differ. */
MUST_USE struct gate_check *gate_check_load(struct db *db, const struct run_id *id,
                                            const struct gate_request *request,
                                            struct run_id *ret_waits_for, struct error *err);
void gate_check_freep(struct gate_check **check);
