/* The products of the f32 kernels: a block of CONV_BLOCK rows and one panel of CONV_WIDE vectors,
 * whose sums stay in registers. */
#pragma once

#include "engine/train/kernels/conv/conv_vec.h"

#define CONV_BLOCK 6
#define CONV_PANEL (CONV_WIDE * CONV_LANES)

/* sums += rows * panel: `depth` numbers of each row, and as many times CONV_PANEL weights. */
CONV_INLINE void block_multiply(const float *const rows[CONV_BLOCK], long depth,
                                const float *panel, vec sums[CONV_BLOCK][CONV_WIDE])
{
#pragma GCC unroll 4
    for (long k = 0; k < depth; k++, panel += CONV_PANEL) {
        vec right[CONV_WIDE];

        for (int v = 0; v < CONV_WIDE; v++)
            right[v] = VEC_LOAD(panel + v * CONV_LANES);
        for (int r = 0; r < CONV_BLOCK; r++) {
            vec left = VEC_ALL(rows[r][k]);

            for (int v = 0; v < CONV_WIDE; v++)
                sums[r][v] = VEC_FMA(left, right[v], sums[r][v]);
        }
    }
}
