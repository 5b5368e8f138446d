/* The order of the cells in a sweep. Machines drift; in a fixed order the drift would look like a
 * difference between cells. */
#pragma once

#include "engine/sweep/sweep.h"

/* Writes the order of `count` cells in block `block` (0, 1, ...): the seed shuffles every even
 * block, and every odd one reverses the block before (A B, B A), so that a steady drift cancels
 * within each two. */
void sweep_order(const char *seed, long long block, size_t count, size_t ret_cells[]);
