/* Computes the summaries of all stored runs again and verifies the signatures that runs came
 * with, which finds rows that somebody altered: to the database they are as good as any. */
#pragma once

#include "db/db.h"

#include <stdbool.h>

/* ERROR_DAMAGED names the first run whose stored summary does not follow from its stored steps,
 * or whose signature does not hold any more. Runs whose steps were thinned, and those that other
 * statistics summarized, are passed over; *ret_count is how many were computed again. Ends with
 * ERROR_CONFLICT where go_on() returns false. */
bool recheck_runs(struct db *db, bool (*go_on)(void), long long *ret_count, struct error *err)
    __attribute__((warn_unused_result));
