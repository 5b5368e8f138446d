/* The search for the best configuration of a machine: in three rounds, each of whose runs are
 * part of the answer. First batch sizes, beside the fixed configuration; then what surrounds the
 * engine, one change at a time on the best batch; then the best of all against the runner-up and
 * the fixed configuration again, three times each. Pure: it decides, others run. */
#pragma once

#include "engine/sweep/sweep.h"
#include "engine/sweep/sweep_result.h"

#define TUNE_ROUNDS 3

/* The cells of round `round` (1 or 2) are added behind those of the rounds before, with their
 * specs and names; round 0 is sweep_add_preset()'s. `result` is of all cells so far. */
MUST_USE bool sweep_tune_next(struct sweep *sweep, int round, const struct sweep_result *result,
                              const struct place *place, struct error *err);

/* How many times each cell of a round is run. */
long long sweep_tune_blocks(int round);

/* Gives every cell from `first` on its share of the budget, and a short fixed warm-up unless the
 * client asked for one: a search looks at many things briefly. Steps of a larger batch take
 * longer, so half of the shares is divided by batch size. */
void sweep_tune_limit(struct sweep *sweep, size_t first);
