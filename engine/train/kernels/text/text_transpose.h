/* Turns LANES vectors of LANES units so that lanes become vectors. */
#pragma once

#include "engine/train/kernels/text/text_vec.h"

/* The lanes of two vectors in turns: of their first halves, and of their second ones. */
#if CONV_LANES == 16
#define TRANSPOSE_FIRST(a, b)                                                                    \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define TRANSPOSE_SECOND(a, b)                                                                   \
    __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#elif CONV_LANES == 8
#define TRANSPOSE_FIRST(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define TRANSPOSE_SECOND(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#else
#define TRANSPOSE_FIRST(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define TRANSPOSE_SECOND(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#endif

CONV_INLINE void transpose_once(const vec from[LANES], vec to[LANES])
{
    for (int i = 0; i < LANES / 2; i++) {
        to[2 * i] = TRANSPOSE_FIRST(from[i], from[i + LANES / 2]);
        to[2 * i + 1] = TRANSPOSE_SECOND(from[i], from[i + LANES / 2]);
    }
}

CONV_INLINE void transpose(vec lines[LANES])
{
    vec other[LANES];

    for (int done = 1; done < LANES; done *= 2) {
        transpose_once(lines, other);
        memcpy(lines, other, sizeof other);
    }
}
