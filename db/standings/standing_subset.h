/* Standings of a subset of runs: with given labels, so that two branches can be compared, or of
 * one sender. Computed for one question from the newest of these runs, and not cached. */
#pragma once

#include "db/runs/run_filter.h"
#include "db/standings/standings.h"

#define STANDING_SUBSET_RUNS_MAX 10000

/* As a sender: runs measured here. If a token has this name, its imported runs count too. */
#define STANDING_SENDER_LOCAL "local"

/* Up to RUN_FILTER_LABELS labels, which must all match, and a sender; at least one of both. */
struct standing_subset {
    const struct wanted_label *labels;
    int label_count;
    const char *sender; /* NULL: any */
};

/* *ret_standings lists the contenders with such a run, by number, without published figures; for
 * standings_free(). *ret_cut says whether older runs were left out because there are too many. */
MUST_USE bool standings_of_subset(struct db *db, const struct standing_subset *subset,
                                  struct standings *ret_standings, bool *ret_cut,
                                  struct error *err);
