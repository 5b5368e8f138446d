/* Filters of runs that match no stored run, so that a typo is answered with what there is and not
 * with an empty list. */
#pragma once

#include "db/runs/run_filter.h"
#include "server/compare/unmatched.h"

/* Looks for each workload, engine, type and label of the filter by itself among all stored runs,
 * of any state. Adds those that none has to the list, which has room for UNMATCHED_MAX. */
bool unmatched_runs(struct db *db, const struct run_filter *filter, struct unmatched *list,
                    size_t *count, struct error *err) __attribute__((warn_unused_result));
