/* The products of the f32 kernels: a block of VEC_BLOCK rows and one panel of VEC_WIDE vectors,
 * whose sums stay in registers. */
#pragma once

#include "engine/train/kernels/vec.h"

#define VEC_BLOCK 6
#define VEC_PANEL (VEC_WIDE * VEC_LANES)

/* Zeros that stay in registers: of `= {0}` GCC makes memory, which costs as much as some lines of
 * a panel. */
VEC_INLINE void block_clear(vec sums[VEC_BLOCK][VEC_WIDE])
{
    for (int r = 0; r < VEC_BLOCK; r++)
        for (int v = 0; v < VEC_WIDE; v++)
            sums[r][v] = (vec){0};
}

/* sums += rows * panel: `depth` numbers of each row, `step` apart, and as many times VEC_PANEL
 * weights. */
VEC_INLINE void block_multiply(const float *const rows[VEC_BLOCK], long step, long depth,
                               const float *panel, vec sums[VEC_BLOCK][VEC_WIDE])
{
#pragma GCC unroll 4
    for (long k = 0; k < depth; k++, panel += VEC_PANEL) {
        vec right[VEC_WIDE];

        for (int v = 0; v < VEC_WIDE; v++)
            right[v] = VEC_LOAD(panel + v * VEC_LANES);
        for (int r = 0; r < VEC_BLOCK; r++) {
            vec left = VEC_ALL(rows[r][k * step]);

            for (int v = 0; v < VEC_WIDE; v++)
                sums[r][v] = VEC_FMA(left, right[v], sums[r][v]);
        }
    }
}
