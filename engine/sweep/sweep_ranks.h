/* How fast each cell of a sweep is, and how sure that is, as engine/stats/rank_interval.h takes
 * it. Pure.
 *
 * Cells that ran in the same blocks are compared within them: what a block saw, such as a machine
 * that slows down, is estimated from all its cells and taken off. Where blocks do not link all
 * cells, as in a search of several rounds, it is not, and counts as spread between runs.
 *
 * How far runs lie from each other is estimated over all cells, because a cell has few runs. A
 * cell whose runs have more than three times the variance of the others' stands on its own. In
 * simulated sweeps the true ranks of all cells lay within in 95 to 99 of 100
 * (tests/engine/sweep/sweep_ranks_test.c). */
#pragma once

#include "common/must_use.h"
#include "engine/stats/rank_interval.h"

#include <stdbool.h>
#include <stddef.h>

#define NOTHING_KNOWN 1e6 /* standard error of a logarithm with no information */

struct sweep_grid {
    double *logs; /* of samples a second, per cell and block; NaN without a valid run */
    size_t cells, blocks;
};

/* A cell without any value has a row without information. False if no cell ran twice: the spread
 * between runs is then unknown. */
MUST_USE bool sweep_rank_rows(const struct sweep_grid *grid, struct rank_row *ret_rows);
