/* Dropout by counter: whether element i is kept follows from the place where the sequence of its
 * name, seed and step begins and from i alone, so that no mask is stored and any slice can be
 * made again. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct dropout {
    uint64_t start;     /* of the sequence: fnv1a64(name) + seed * ... + step * ... */
    uint32_t threshold; /* of 2^24: an element whose 24 bits are below it becomes 0 */
    float scale;        /* of those that are kept: 1 / (1 - p) */
    bool relu;          /* of the input, before the dropout */
};

struct dropout_kernel {
    /* `result` may be `values`. */
    void (*forward)(const struct dropout *dropout, const void *values, long begin, long end,
                    void *result);
    /* With a ReLU `active` is the result of forward(), otherwise NULL. `result` may be either. */
    void (*backward)(const struct dropout *dropout, const void *const gradient_and_active[2],
                     long begin, long end, void *result);
};
