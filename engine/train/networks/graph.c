/* Tested by tests/engine/train/networks/recipes_test.c. */
#include "engine/train/networks/graph.h"

#include "engine/train/networks/tensor_init.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct graph_parameter *add_parameter(struct graph *graph, struct node *node,
                                             const char *which, long rows, long columns)
{
    struct graph_parameter *parameter = &graph->parameters[graph->parameter_count++];

    assert(graph->parameter_count <= PARAMETERS_MAX && columns > 0);
    *parameter = (struct graph_parameter){.rows = rows, .columns = columns};
    snprintf(parameter->name, sizeof parameter->name, "%s.%s", node->name, which);
    node->parameter_count++;
    return parameter;
}

static void add_bias(struct graph *graph, struct node *node)
{
    struct graph_parameter *bias = add_parameter(graph, node, "bias", 0, node->columns);

    bias->scale = (float)(node->bias_scale > 0 ? node->bias_scale : 0.1);
    bias->shift = (float)node->bias_shift;
    bias->shift_end = node->columns;
}

/* Of `inputs` numbers each. */
static void add_weight_and_bias(struct graph *graph, struct node *node, long inputs)
{
    double scale = node->gain > 0 ? sqrt(node->gain / (double)inputs) : node->scale;

    if (!node->tied)
        add_parameter(graph, node, "weight", node->columns, inputs)->scale = (float)scale;
    if (!node->no_bias)
        add_bias(graph, node);
}

static void add_norm(struct graph *graph, struct node *node)
{
    struct graph_parameter *weight = add_parameter(graph, node, "weight", 0, node->columns);

    weight->scale = 0.1f;
    weight->shift = 1;
    weight->shift_end = node->columns;
    add_bias(graph, node);
}

static void add_embedding(struct graph *graph, struct node *node)
{
    long vocabulary = graph->data.vocabulary;

    add_parameter(graph, node, node->positions ? "wte.weight" : "weight", vocabulary,
                  node->columns)
        ->scale = (float)node->scale;
    if (node->positions)
        add_parameter(graph, node, "wpe.weight", node->positions, node->columns)->scale =
            (float)node->scale;
}

static void add_lstm(struct graph *graph, struct node *node)
{
    static const char *const ends[] = {"", "_reverse"};
    long cells = node->columns;
    float scale = (float)sqrt(1.0 / (double)cells);

    for (int d = 0; d < node->directions; d++) {
        char which[32];

        snprintf(which, sizeof which, "weight_ih_l0%s", ends[d]);
        add_parameter(graph, node, which, 4 * cells, node->in.columns)->scale = scale;
        snprintf(which, sizeof which, "weight_hh_l0%s", ends[d]);
        add_parameter(graph, node, which, 4 * cells, cells)->scale = scale;
        for (int hidden = 0; hidden < 2; hidden++) {
            struct graph_parameter *bias;

            snprintf(which, sizeof which, "bias_%s_l0%s", hidden ? "hh" : "ih", ends[d]);
            bias = add_parameter(graph, node, which, 0, 4 * cells);
            bias->scale = 0.1f;
            if (hidden)
                continue;
            bias->shift = 1; /* the forget gate is open at first */
            bias->shift_begin = cells;
            bias->shift_end = 2 * cells;
        }
    }
}

static struct extent value_of(const struct node *node)
{
    struct extent out = node->in;

    switch (node->kind) {
    case NODE_DENSE:
        return (struct extent){node->in.rows, node->columns, 1, 1};
    case NODE_CONV:
        out.height += 2 * node->padding - node->kernel + 1;
        out.width += 2 * node->padding - node->kernel + 1;
        out.columns = node->columns;
        return out;
    case NODE_MAX_POOL:
        out.height /= 2;
        out.width /= 2;
        return out;
    case NODE_MEAN:
        out.rows = 1;
        return out;
    case NODE_LSTM:
        return (struct extent){1, node->columns * node->directions, 1, 1};
    case NODE_ATTENTION:
        out.columns /= 3;
        return out;
    case NODE_ONE_HOT:
    case NODE_EMBEDDING:
        out.columns = node->columns;
        return out;
    case NODE_DATA:
    case NODE_DROPOUT:
    case NODE_BATCH_NORM:
    case NODE_LAYER_NORM:
    case NODE_SOFTMAX_LOSS:
    case NODE_SIGMOID_LOSS:
        break;
    }
    return out;
}

static long window_of(const struct node *node)
{
    return node->in.columns * node->kernel * node->kernel;
}

static void add_parameters(struct graph *graph, struct node *node)
{
    switch (node->kind) {
    case NODE_DENSE:
        add_weight_and_bias(graph, node, extent_count(&node->in) / node->in.rows);
        break;
    case NODE_CONV:
        add_weight_and_bias(graph, node, window_of(node));
        break;
    case NODE_BATCH_NORM:
    case NODE_LAYER_NORM:
        add_norm(graph, node);
        break;
    case NODE_EMBEDDING:
        add_embedding(graph, node);
        break;
    case NODE_LSTM:
        add_lstm(graph, node);
        break;
    default:
        break;
    }
}

void graph_start(struct graph *graph, const struct data_shape *data)
{
    const struct extent tokens = {data->length, 1, 1, 1};

    graph->data = *data;
    graph->parameter_count = 0;
    graph->count = 1;
    graph->nodes[0] =
        (struct node){.kind = NODE_DATA, .out = data->kind == DATA_IMAGES ? data->image : tokens};
}

int graph_add(struct graph *graph, struct node node)
{
    assert(graph->count > 0 && graph->count < NODES_MAX && node.input < graph->count);
    node.in = graph->nodes[node.input].out;
    if (node.columns == 0)
        node.columns = node.kind == NODE_ONE_HOT ? graph->data.vocabulary : node.in.columns;
    if (node.share == 0)
        node.share = 1;
    node.out = value_of(&node);
    node.parameter = graph->parameter_count;
    add_parameters(graph, &node);
    graph->nodes[graph->count] = node;
    return graph->count++;
}

size_t graph_parameter_count(const struct graph_parameter *parameter)
{
    return (size_t)(parameter->rows ? parameter->rows : 1) * (size_t)parameter->columns;
}

/* How a parameter begins. */
static void graph_fill(const struct graph_parameter *parameter, unsigned long long seed,
                       float *values)
{
    tensor_init_fill(values, graph_parameter_count(parameter), parameter->name, seed,
                     parameter->scale, 0);
    for (long i = parameter->shift_begin; i < parameter->shift_end; i++)
        values[i] = parameter->shift + values[i];
}

int graph_weight_of(const struct graph *graph, const struct node *node)
{
    return node->tied ? graph->nodes[node->tied].parameter : node->parameter;
}

bool graph_is_tied(const struct graph *graph, int embedding)
{
    for (int i = 0; i < graph->count; i++)
        if (graph->nodes[i].tied == embedding)
            return true;
    return false;
}

bool graph_allocate_parameters(const struct graph *graph, int states,
                               struct parameters *ret_parameters, struct error *err)
{
    *ret_parameters = (struct parameters){.count = graph->parameter_count};
    for (int i = 0; i < graph->parameter_count; i++) {
        struct parameter *parameter = &ret_parameters->list[i];

        memcpy(parameter->name, graph->parameters[i].name, sizeof parameter->name);
        parameter->count = graph_parameter_count(&graph->parameters[i]);
    }
    return parameters_allocate(ret_parameters, states, err);
}

void graph_fill_parameters(const struct graph *graph, unsigned long long seed,
                           struct parameters *parameters)
{
    for (int i = 0; i < graph->parameter_count; i++)
        graph_fill(&graph->parameters[i], seed, parameters->list[i].value);
}

long long graph_parameters(const struct graph *graph)
{
    long long sum = 0;

    for (int i = 0; i < graph->parameter_count; i++)
        sum += (long long)graph_parameter_count(&graph->parameters[i]);
    return sum;
}

/* With weights, and between values alone, which is what attention does. */
struct multiply_adds {
    long long weights, values;
};

static struct multiply_adds multiply_adds_of(const struct node *node)
{
    long long rows = node->in.rows, columns = node->columns;

    switch (node->kind) {
    case NODE_DENSE:
        return (struct multiply_adds){extent_count(&node->in) * columns, 0};
    case NODE_CONV:
        return (struct multiply_adds){window_of(node) * extent_count(&node->out), 0};
    case NODE_LSTM:
        return (struct multiply_adds){
            rows * node->directions * 4 * columns * (node->in.columns + columns), 0};
    case NODE_ATTENTION:
        return (struct multiply_adds){0, 2 * rows * rows * node->out.columns};
    default:
        return (struct multiply_adds){0, 0};
    }
}

long long graph_multiply_adds(const struct graph *graph)
{
    long long sum = 0;

    for (int i = 0; i < graph->count; i++) {
        const struct multiply_adds of = multiply_adds_of(&graph->nodes[i]);

        sum += of.weights + of.values;
    }
    return sum;
}

/* Whether what the node reads is made from parameters and so has a gradient. */
static bool reads_data(const struct graph *graph, const struct node *node)
{
    return node->input == 0 || graph->nodes[node->input].kind == NODE_ONE_HOT;
}

long long graph_backward_multiply_adds(const struct graph *graph)
{
    long long sum = 0;

    for (int i = 0; i < graph->count; i++) {
        const struct node *node = &graph->nodes[i];
        const struct multiply_adds of = multiply_adds_of(node);
        long long unread = 0;

        if (reads_data(graph, node))
            unread = node->kind == NODE_LSTM ? (long long)node->in.rows * node->directions * 4 *
                                                   node->columns * node->in.columns
                                             : of.weights;
        sum += 2 * of.weights - unread + 2 * of.values;
    }
    return sum;
}
