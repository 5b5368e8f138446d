/* What the files of the layerwise plan share. They stand on each other in this order: memory,
 * share, product, the kinds of nodes (dense, conv, pool, dropout, embedding, lstm, norm,
 * attention, loss), kinds, layerwise. */
#pragma once

#include "engine/train/kernels/elements.h"
#include "engine/train/layerwise/layerwise.h"
#include "engine/train/threads/team.h"

#include <stdint.h>

/* A value with its gradient: (batch) extents of f32 each. */
struct tensor {
    struct extent extent;
    long rows, width; /* batch * extent.rows, and the numbers of a row */
    size_t count;     /* rows * width */
    float *value, *gradient;
    void *operand;      /* the value as products read it: the value itself in f32 */
    bool wants_operand; /* a node multiplies it */
};

struct op;

/* A kind of node. Every thread calls forward and backward with its index; after each all meet.
 * backward() may take part of its work before team_meet() and part behind it. */
struct op_functions {
    bool (*make)(struct op *op, struct error *err);
    void (*forward)(struct op *op, int thread);
    void (*backward)(struct op *op, int thread);
    void (*release)(struct op *op); /* also of one that was made half-way */
};

struct op {
    const struct op_functions *functions;
    struct layerwise *net;
    const struct node *node;
    struct tensor *input, *output;
    struct tensor *adds; /* or NULL */
    bool to_input;       /* the input has a gradient */
    bool adds_to_input;  /* another node has written it before this one */
    void *own;
};

/* Parameters in the order of the graph; `operands` as in a tensor, for matrices. */
struct layerwise {
    struct net net; /* first: a pointer to it is a pointer to the whole */
    struct graph graph;
    struct optimizer optimizer;
    long batch;
    int threads;
    unsigned long long seed;
    enum dnn_type type;    /* of operands in memory */
    bool rounds;           /* operands are rounded to bf16 */
    long long step;        /* from 0 */
    struct joiner *joiner; /* of the ranks, or NULL */
    struct dnn *dnn;
    struct team *team;
    const struct elements *elements;
    struct parameters parameters;
    void *operands[PARAMETERS_MAX];
    struct tensor tensors[NODES_MAX];
    struct op ops[NODES_MAX];
    int32_t *tokens, *labels; /* (batch, length); (batch) or (batch, length) */
    void *memory;             /* all that layerwise_take() gave */
    size_t memory_bytes;
    bool huge_pages;
    struct error *errors; /* (threads): the first failure of each */
    /* When the step began, had its data, its loss, its gradients, and those of all ranks. */
    long long times[5];
};

/* Zeroed memory that lives as long as the net; NULL with the reason. */
void *layerwise_take(struct layerwise *net, size_t bytes, struct error *err)
    __attribute__((warn_unused_result));
void layerwise_give_all_back(struct layerwise *net);

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
void *operand_take(struct layerwise *net, float *values, size_t count, struct error *err)
    __attribute__((warn_unused_result));

/* Number `index` of an operand. */
static inline void *operand_at(const struct layerwise *net, void *operand, long index)
{
    return (char *)operand + (size_t)index * dnn_type_size(net->type);
}

static inline float *value_of_parameter(const struct op *op, int index)
{
    return op->net->parameters.list[op->node->parameter + index].value;
}

static inline float *gradient_of_parameter(const struct op *op, int index)
{
    return op->net->parameters.list[op->node->parameter + index].gradient;
}

static inline void *operand_of_parameter(const struct op *op, int index)
{
    return op->net->operands[op->node->parameter + index];
}

extern const struct op_functions dense_functions, conv_functions, max_pool_functions,
    mean_functions, dropout_functions, one_hot_functions, embedding_functions, lstm_functions,
    batch_norm_functions, layer_norm_functions, attention_functions, loss_functions;

/* Of the op of a loss: the mean loss of the step, times its share, and one logit. */
double loss_of(const struct op *op);
float loss_logit(const struct op *op, long row, long class);

/* Of the op of a batch-norm, (columns) each. */
void batch_norm_running(const struct op *op, const float **ret_mean, const float **ret_variance);
