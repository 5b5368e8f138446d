/* Causal attention of all heads: softmax(q k / sqrt(width)) v over the positions up to each one's
 * own. Scores exist for a few rows of one head at a time, in the caches; the way back computes
 * them again from what each row's sum was. */
#pragma once

#include <stddef.h>

struct attention {
    long samples, length, heads, width; /* positions of a sample; columns of a head */
    const void *inputs; /* (samples, length, 3, heads, width): q, k, v as stored numbers */
    void *result;       /* (samples, length, heads, width) */
    float *log_sums;    /* (samples, heads, length): of e^score; forward() writes them */
    void *scratch;      /* of this thread: scratch_bytes() */
};

/* The gradients; stored numbers, as what they are of. */
struct attention_back {
    const void *result;
    void *inputs;
};

/* Units are the heads of all samples, of which there are samples * heads. */
struct attention_kernel {
    size_t (*scratch_bytes)(const struct attention *attention);
    void (*forward)(const struct attention *attention, long begin, long end);
    void (*backward)(const struct attention *attention, const struct attention_back *back,
                     long begin, long end);
};
