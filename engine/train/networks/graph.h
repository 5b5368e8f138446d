/* A network as a graph of typed nodes: what networks of images, texts and tokens are made of. It
 * says what is computed from what and how parameters begin, and knows no math library.
 *
 * ResNet-50 stays a `struct network` (network.h): the depth-first plan lives on what all of its
 * layers have in common, a convolution with its batch-norm. A graph is computed node by node
 * (layerwise/).
 *
 * The value of a node is (samples, rows, columns, height, width), in this order, of f32: of
 * images columns are channels and rows 1; of texts rows are positions; height and width are 1
 * there. */
#pragma once

#include "engine/train/networks/network.h"
#include "engine/train/networks/parameters.h"

#include <stdbool.h>
#include <stddef.h>

enum node_kind {
    NODE_DATA,      /* the images or tokens of the batch: node 0 of every graph */
    NODE_DENSE,     /* input x weight^T + bias, then `adds` and the activation; flattens images */
    NODE_CONV,      /* of stride 1, with bias, then the activation */
    NODE_MAX_POOL,  /* 2x2, 2 apart; an odd last line or column is left out */
    NODE_MEAN,      /* over all rows */
    NODE_DROPOUT,   /* by samples_keep() of its name */
    NODE_ONE_HOT,   /* of tokens */
    NODE_EMBEDDING, /* of tokens; with `positions` a second table adds a row for each position */
    NODE_LSTM,      /* the last state; of two directions side by side, forward first */
    NODE_BATCH_NORM,   /* of columns over all samples, then the activation */
    NODE_LAYER_NORM,   /* of each row */
    NODE_ATTENTION,    /* causal; reads (q, k, v), each head after head */
    NODE_SOFTMAX_LOSS, /* mean cross-entropy over all rows */
    NODE_SIGMOID_LOSS, /* mean binary cross-entropy of one logit */
};

enum activation {
    ACTIVATION_NONE,
    ACTIVATION_RELU,
    ACTIVATION_GELU, /* z/2 (1 + tanh(sqrt(2/pi) (z + 0.044715 z^3))); behind dense nodes only */
};

#define NODES_MAX 128
#define NODE_NAME_MAX 32 /* a parameter's name has room for it, a dot, and 31 more */

struct extent {
    long rows, columns, height, width;
};

struct node {
    enum node_kind kind;
    char name[NODE_NAME_MAX]; /* PyTorch's: "fc1", "transformer.h.0.ln_1"; a dropout's is ours */
    int input;                /* the node it reads */
    int adds;                 /* the node whose value is added, or 0: none */
    int tied;                 /* the embedding whose weight it shares, or 0: none */
    enum activation activation;
    bool no_bias;
    long columns; /* of its value; of an LSTM the cells of a direction */
    long kernel, padding, heads, directions, positions;
    double keep_out; /* the share of elements that a dropout makes 0 */
    float epsilon, momentum;
    float share; /* of a loss: its weight in the sum; graph_add() reads 0 as 1 */
    /* How parameters begin: weight = scale * noise, or sqrt(gain / inputs) * noise with a gain;
     * bias = bias_scale * noise + bias_shift, where a bias_scale of 0 means 0.1. */
    double scale, gain, bias_scale, bias_shift;

    /* graph_add() fills these. */
    struct extent in, out;
    int parameter, parameter_count; /* its own among the graph's */
};

struct graph_parameter {
    char name[sizeof((struct parameter *)0)->name];
    long rows, columns; /* rows is 0 of one that is no matrix */
    float scale, shift;
    long shift_begin, shift_end; /* the elements that the shift belongs to */
};

/* What a graph is trained on; samples.h makes it. */
enum data_kind {
    DATA_IMAGES,
    DATA_REVIEWS,
    DATA_CHARACTERS,
    DATA_STREAM,
};

struct data_shape {
    enum data_kind kind;
    struct extent image;     /* of DATA_IMAGES */
    long length, vocabulary; /* of the others: tokens of a sample, and how many there are */
    long classes;            /* of a label */
};

struct graph {
    struct data_shape data;
    int count;
    struct node nodes[NODES_MAX]; /* each reads nodes before it */
    int parameter_count;
    struct graph_parameter parameters[PARAMETERS_MAX];
};

/* Begins a graph with node 0, its data. */
void graph_start(struct graph *graph, const struct data_shape *data);

/* Adds a node behind the others and returns its number. */
int graph_add(struct graph *graph, struct node node);

/* Numbers in the value of one sample. */
static inline long extent_count(const struct extent *extent)
{
    return extent->rows * extent->columns * extent->height * extent->width;
}

size_t graph_parameter_count(const struct graph_parameter *parameter);

/* The number of the weight of a node that has one: its own first parameter, or the table of the
 * embedding that it shares. */
int graph_weight_of(const struct graph *graph, const struct node *node);

/* Whether a layer shares the weight of this embedding. */
bool graph_is_tied(const struct graph *graph, int embedding);

/* The parameters of the graph with `states` of an optimizer, all zero; the caller frees them with
 * parameters_free(). */
MUST_USE bool graph_allocate_parameters(const struct graph *graph, int states,
                                        struct parameters *ret_parameters, struct error *err);
/* Their values, as they begin. */
void graph_fill_parameters(const struct graph *graph, unsigned long long seed,
                           struct parameters *parameters);

/* The numbers to train, and the multiply-adds of one sample: matrix products and convolutions,
 * attention over all pairs of positions; back to the weights, and back to what nodes read,
 * unless they read the data. */
long long graph_parameters(const struct graph *graph);
long long graph_multiply_adds(const struct graph *graph);
long long graph_backward_multiply_adds(const struct graph *graph);
