/* The losses: cross-entropy of a softmax over many classes, and of the sigmoid of one logit. A
 * row comes from memory once: its maximum, its sum and its gradient are taken while it is in the
 * cache. */
#pragma once

#include <stdint.h>

struct cross_entropy {
    long classes, stride;  /* numbers from row to row, of logits and gradient */
    const void *logits;    /* (rows, stride): stored numbers */
    const int32_t *labels; /* (rows); of the sigmoid 0 or 1 */
    float *losses;         /* (rows): written */
    void *gradient;        /* (rows, stride), scale * that of the loss; may be `logits`; NULL */
    float scale;           /* 1 / rows, for the mean of the losses */
};

struct loss_kernel {
    /* Columns from `classes` on are not touched. */
    void (*softmax)(const struct cross_entropy *loss, long begin, long end);
    /* classes is 1. */
    void (*sigmoid)(const struct cross_entropy *loss, long begin, long end);
};
