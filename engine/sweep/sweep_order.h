/* The order in which the cells of a sweep are run. Machines drift; a fixed order would make the
 * drift a difference between cells. */
#pragma once

#include "engine/sweep/sweep.h"

/* Writes the order of `count` cells in block `block` (0, 1, ...): every even block is shuffled by
 * the seed, every odd one is the reverse of the one before (A B, B A), so that a steady drift
 * cancels within each two. */
void sweep_order(const char *seed, long long block, size_t count, size_t ret_cells[]);
