/* Standings of some runs alone: those with some labels, so that two branches are told apart, or
 * those of one sender. Computed for one question, from the newest of these runs, and kept
 * nowhere. */
#pragma once

#include "db/runs/run_filter.h"
#include "db/standings/standings.h"

#define STANDING_SUBSET_RUNS_MAX 10000

/* As a sender, the runs that were measured here. A token may have this name too: then the runs
 * that it imported count as well. */
#define STANDING_SENDER_LOCAL "local"

/* Up to RUN_FILTER_LABELS labels, which must all match, and a sender; one of both at least. */
struct standing_subset {
    const struct wanted_label *labels;
    int label_count;
    const char *sender; /* NULL: any */
};

/* *ret_standings has the contenders that have such a run, in the order of their numbers, and no
 * published figure; for standings_free(). *ret_cut says whether older runs were left out, because
 * there are so many. */
MUST_USE bool standings_of_subset(struct db *db, const struct standing_subset *subset,
                                  struct standings *ret_standings, bool *ret_cut,
                                  struct error *err);
