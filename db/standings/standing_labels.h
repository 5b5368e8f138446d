/* Standings of the runs with some labels alone: two branches are told apart where all other runs
 * are left out. Computed for one question, from the newest runs with the labels, and kept
 * nowhere. */
#pragma once

#include "db/runs/run_filter.h"
#include "db/standings/standings.h"

#define STANDING_LABELS_RUNS_MAX 10000

/* Up to RUN_FILTER_LABELS labels, one at least, which must all match. *ret_standings has the
 * contenders that have such a run, in the order of their numbers, and no published figure; for
 * standings_free(). *ret_cut says whether older runs were left out, because so many have the
 * labels. */
bool standings_of_labels(struct db *db, const struct wanted_label labels[], int count,
                         struct standings *ret_standings, bool *ret_cut, struct error *err)
    __attribute__((warn_unused_result));
