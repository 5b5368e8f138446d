/* Searches the best configuration of a machine in three rounds. First batch sizes, together with
 * the fixed configuration; then settings around the engine, one change at a time on the best
 * batch; then the best, the runner-up and the fixed configuration again, three times each. All
 * runs are part of the answer. Pure: it decides, others run. */
#pragma once

#include "engine/sweep/sweep.h"
#include "engine/sweep/sweep_result.h"

#define TUNE_ROUNDS 3

/* Appends the cells of round `round` (1 or 2), with their specs and names; round 0 is
 * sweep_add_preset()'s. `result` has all cells so far. */
MUST_USE bool sweep_tune_next(struct sweep *sweep, int round, const struct sweep_result *result,
                              const struct place *place, struct error *err);

/* How many times each cell of a round runs. */
long long sweep_tune_blocks(int round);

/* Gives every cell from `first` on its share of the budget, and a short fixed warm-up unless the
 * client set one, because a search tries many cells briefly. Steps of a larger batch take longer,
 * so half of the budget is divided by batch size. */
void sweep_tune_limit(struct sweep *sweep, size_t first);
