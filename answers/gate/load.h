/* Finds both sides of a check in the database. */
#pragma once

#include "answers/gate/check.h"

/* Loads both sides and judges them, with the confirmation that was asked for before, if any. The
 * caller gives it to gate_check_freep(). NULL with err filled: ERROR_CONFLICT where a run has not
 * finished, with its id in *ret_waits_for if it still may; ERROR_UNABLE where machines or
 * workloads differ. */
MUST_USE struct gate_check *gate_check_load(struct db *db, const struct run_id *id,
                                            const struct gate_request *request,
                                            struct run_id *ret_waits_for, struct error *err);
void gate_check_freep(struct gate_check **check);
