/* What the files of the layerwise plan share. They stand on each other in this order: memory,
 * share, product, learn, late_rows, the kinds of nodes (dense, conv, pool, stateless, embedding,
 * lstm, norm, attention, loss), layerwise. */
#pragma once

#include "engine/train/kernels/elements.h"
#include "engine/train/kernels/products/matrix_product.h"
#include "engine/train/net/net.h"
#include "engine/train/networks/graph.h"
#include "engine/train/networks/optimizer.h"
#include "engine/train/onednn/dnn_shapes.h"
#include "engine/train/threads/team.h"

#include <stdint.h>

/* A value with its gradient: (batch) extents of f32 each, or what `by_token` says. */
struct tensor {
    struct extent extent;
    long rows, width; /* batch * extent.rows, or the vocabulary; and the numbers of a row */
    size_t count;     /* rows * width */
    float *value, *gradient;
    void *operand;      /* the value as products read it: the value itself in f32 */
    bool wants_operand; /* a node multiplies it */
    bool is_rounded;    /* its node writes the operand with the value */
    bool channels_last; /* of images: as convolutions write them for others */
    bool is_passed_on;  /* the gradient is there for one image of each thread */
    bool by_token;      /* a row for each token of the vocabulary, whatever the texts are */
};

/* When a parameter takes the step of the optimizer: see learn.h. */
enum learn_when {
    LEARN_AT_THE_END,
    LEARN_AT_ONCE,
    LEARN_LATE,
};

struct op;

/* A kind of node. Every thread calls forward and backward with its index; after each all meet.
 * backward() may take part of its work before team_meet() and part behind it. NULL: nothing is to
 * be done. */
struct op_functions {
    bool (*make)(struct op *op, struct error *err);
    void (*forward)(struct op *op, int thread);
    void (*backward)(struct op *op, int thread);
};

struct op {
    const struct op_functions *functions;
    struct layerwise *net;
    const struct node *node;
    struct tensor *input, *output;
    struct tensor *adds; /* or NULL */
    bool to_input;       /* the input has a gradient */
    bool adds_to_input;  /* another node has written it before this one */
    /* Of a convolution whose output one node reads: the pool that ends it, so that the output is
     * not stored, or the convolution that it feeds; or NULL. */
    struct op *pool, *fed;
    struct op *feeder; /* of one that is fed */
    void *own;
};

/* Parameters in the order of the graph; `operands` as in a tensor, for matrices. */
struct layerwise {
    struct net net; /* first: a pointer to it is a pointer to the whole */
    struct graph graph;
    struct optimizer optimizer;
    bool learns, keeps_gradients;
    long batch;
    int threads;
    unsigned long long seed;
    enum cpu_isa isa;
    enum dnn_type type;                  /* of operands in memory */
    bool rounds;                         /* operands are rounded to bf16 */
    const struct product_kernel *kernel; /* NULL: the library multiplies */
    long long step;                      /* from 0 */
    struct joiner *joiner;               /* of the ranks, or NULL */
    struct dnn *dnn;
    struct team *team;
    const struct elements *elements;
    struct parameters parameters;
    void *operands[PARAMETERS_MAX];
    enum learn_when learns_when[PARAMETERS_MAX];
    size_t place_numbers; /* of the place of the gradients that learn at once */
    struct tensor tensors[NODES_MAX];
    struct op ops[NODES_MAX];
    int32_t *tokens, *labels; /* (batch, length); (batch) or (batch, length) */
    void *memory;             /* all that layerwise_take() gave */
    size_t memory_bytes;
    bool huge_pages;
    struct error *errors;           /* (threads): the first failure of each */
    struct product_alone *products; /* all that were made */
    char *scratch;                  /* (threads) of the kernel's */
    /* When the step began, had its data, its loss, its gradients, and all ranks' gradients. */
    long long times[5];
};

/* Where the gradient of image n is, in images. */
static inline long gradient_image(const struct tensor *tensor, long n, int thread)
{
    return tensor->is_passed_on ? thread : n;
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
