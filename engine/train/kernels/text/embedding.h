/* Rows of a table, looked up by tokens, and the gradient of the table. The gradient is taken from
 * a sorted list of where each token stands, so that each row of the table has one thread that
 * writes it, and its parts are added in the order of the text. */
#pragma once

#include "engine/train/kernels/text/learn.h"

#include <stdint.h>

struct embedding {
    long rows, width; /* of the table */
    long count;       /* tokens */
    const int32_t *tokens;
    /* Tokens that make one row of the result, its mean: 1, or those of a text. */
    long each;
    const float *positions; /* (length, width): a row more for each place in a text, or NULL */
    long length;            /* tokens of a text, where there are positions */
};

/* Where tokens stand, by token and then by place. */
struct embedding_order {
    int32_t *places;  /* (count) */
    int32_t *scratch; /* (count) */
};

/* The table while it learns. A row that no token has reached, and whose states are therefore
 * zeros, does not move unless the rule has a weight decay: it is not read either. */
struct embedding_learn {
    const struct learn_rule *rule;
    struct learn_arrays arrays; /* (rows, width) each; the gradient is ignored */
    uint8_t *reached;           /* (rows): 0 at first; kept from step to step */
};

struct embedding_kernel {
    /* Rows begin .. end - 1 of `ret_result`, (count / each, width). */
    void (*look_up)(const struct embedding *embedding, const float *table, long begin, long end,
                    float *ret_result);

    /* Fills `places`; one thread. */
    void (*sort)(const struct embedding *embedding, const struct embedding_order *order);

    /* Rows begin .. end - 1 of the table's gradient, all of them written. `gradient` is that of
     * the result. */
    void (*gradient)(const struct embedding *embedding, const struct embedding_order *order,
                     const float *gradient, const long begin_and_end[2], float *ret_table);

    /* The step of rows begin .. end - 1 of the table, without a table of gradients. */
    void (*learn)(const struct embedding *embedding, const struct embedding_order *order,
                  const float *gradient, const long begin_and_end[2],
                  const struct embedding_learn *learn);
};
