/* Shares of threads, and operands of products. */
#pragma once

#include "common/error.h"
#include "engine/train/layerwise/layerwise_data.h"

#include <stddef.h>

/* Numbers begin .. end - 1 of `count` are this thread's; borders are multiples of `grain`. */
struct share {
    long begin, end;
};
struct share share_of(long count, long grain, int index, int of);

/* The share of a whole tensor, by 16 numbers. */
static inline struct share share_elements(const struct layerwise *net, size_t count, int thread)
{
    return share_of((long)count, 16, thread, net->threads);
}

/* Rounds so many numbers to an operand, begin .. end of both; does nothing where operands are the
 * values themselves. */
void operand_round(const struct layerwise *net, const float *values, struct share share,
                   void *operand);

/* An operand for `count` numbers: room for it, or `values` where they are their own. */
MUST_USE void *operand_take(struct layerwise *net, float *values, size_t count,
                            struct error *err);

/* Lets the end of a product round the tensor from this number on, too, if anything multiplies it.
 */
void finish_operand(const struct layerwise *net, const struct tensor *tensor, long index,
                    struct element_finish *finish);

/* Number `index` of an operand. */
static inline void *operand_at(const struct layerwise *net, void *operand, long index)
{
    return (char *)operand + (size_t)index * dnn_type_size(net->type);
}
