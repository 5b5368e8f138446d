/* Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/layerwise.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "common/units.h"
#include "engine/train/layerwise/embedding.h"
#include "engine/train/layerwise/kinds.h"
#include "engine/train/layerwise/layerwise_data.h"
#include "engine/train/layerwise/learn.h"
#include "engine/train/layerwise/loss.h"
#include "engine/train/layerwise/memory.h"
#include "engine/train/layerwise/norm.h"
#include "engine/train/layerwise/product.h"
#include "engine/train/layerwise/share.h"
#include "engine/train/networks/samples.h"
#include "engine/train/threads/host.h"

#include <assert.h>

static const struct op_functions *const kinds[] = {
    [NODE_DENSE] = &dense_functions,           [NODE_CONV] = &conv_functions,
    [NODE_MAX_POOL] = &max_pool_functions,     [NODE_MEAN] = &mean_functions,
    [NODE_DROPOUT] = &dropout_functions,       [NODE_ONE_HOT] = &one_hot_functions,
    [NODE_EMBEDDING] = &embedding_functions,   [NODE_LSTM] = &lstm_functions,
    [NODE_BATCH_NORM] = &batch_norm_functions, [NODE_LAYER_NORM] = &layer_norm_functions,
    [NODE_ATTENTION] = &attention_functions,   [NODE_SOFTMAX_LOSS] = &loss_functions,
    [NODE_SIGMOID_LOSS] = &loss_functions,
};

static bool is_loss(const struct node *node)
{
    return node->kind == NODE_SOFTMAX_LOSS || node->kind == NODE_SIGMOID_LOSS;
}

/* Whether a node reads its input by products. */
static bool layerwise_multiplies(const struct node *node)
{
    return node->kind == NODE_DENSE || node->kind == NODE_CONV || node->kind == NODE_LSTM ||
           node->kind == NODE_ATTENTION;
}

/* Makes each thread's share of the batch. */
static void make_batch(struct layerwise *net, int thread)
{
    const struct data_shape *data = &net->graph.data;
    const struct share share = share_of(net->batch, 1, thread, net->threads);
    long count = share.end - share.begin, each = samples_labels_each(data);
    long long all = net->step * joiner_ranks(net->joiner) + joiner_rank(net->joiner);
    long long first = all * net->batch + share.begin;

    if (data->kind == DATA_IMAGES)
        samples_images(data, net->seed, first, count,
                       net->tensors[0].value + share.begin * net->tensors[0].width);
    else
        samples_tokens(data, net->seed, first, count, net->tokens + share.begin * data->length);
    samples_labels(data, net->seed, first, count, net->labels + share.begin * each);
}

static void round_tensor(struct layerwise *net, int node, int thread)
{
    const struct tensor *tensor = &net->tensors[node];

    if (net->rounds && tensor->wants_operand && !tensor->is_rounded) {
        team_meet(net->team);
        operand_round(net, tensor->value, share_elements(net, tensor->count, thread),
                      tensor->operand);
    }
    team_meet(net->team);
}

static void take_time(struct layerwise *net, int which, int thread)
{
    if (thread == 0)
        net->times[which] = host_clock_ns();
}

static void layerwise_work(void *user, int thread)
{
    struct layerwise *net = user;

    take_time(net, 0, thread);
    make_batch(net, thread);
    round_tensor(net, 0, thread);
    take_time(net, 1, thread);
    for (int i = 1; i < net->graph.count; i++) {
        if (net->ops[i].functions->forward)
            net->ops[i].functions->forward(&net->ops[i], thread);
        round_tensor(net, i, thread);
    }
    take_time(net, 2, thread);
    for (int i = net->graph.count - 1; i > 0; i--) {
        if (net->ops[i].functions->backward)
            net->ops[i].functions->backward(&net->ops[i], thread);
        team_meet(net->team);
    }
    take_time(net, 3, thread);
    if (joiner_joins(net->joiner)) {
        if (thread == 0)
            joiner_gradients(net->joiner, &net->parameters);
        team_meet(net->team);
        take_time(net, 4, thread);
    }
    learn_rest(net, thread);
}

static bool layerwise_step(struct net *base, double *ret_loss, struct step_split *ret_split,
                           struct error *err)
{
    struct layerwise *net = (struct layerwise *)base;
    double loss = 0;

    net->times[4] = 0;
    team_run(net->team, layerwise_work, net);
    if (net->times[4] == 0)
        net->times[4] = net->times[3];
    for (int i = 0; i < net->threads; i++)
        if (net->errors[i].kind != ERROR_NONE)
            return error_set(err, net->errors[i].kind, NULL, "%s", net->errors[i].message);
    for (int i = 1; i < net->graph.count; i++)
        if (is_loss(&net->graph.nodes[i]))
            loss += loss_of(&net->ops[i]);
    net->step++;
    *ret_loss = joiner_mean(net->joiner, loss);
    *ret_split = (struct step_split){.input = net->times[1] - net->times[0],
                                     .forward = net->times[2] - net->times[1],
                                     .backward = net->times[3] - net->times[2],
                                     .communication = net->times[4] - net->times[3],
                                     .update = host_clock_ns() - net->times[4]};
    return true;
}

static void layerwise_release(struct net *base)
{
    struct layerwise *net = (struct layerwise *)base;

    team_free(net->team);
    products_free(net);
    dnn_close(net->dnn);
    layerwise_give_all_back(net);
    parameters_free(&net->parameters);
    free(net->errors);
    free(net);
}

static struct net_facts layerwise_facts(const struct net *base)
{
    const struct layerwise *net = (const struct layerwise *)base;

    return (struct net_facts){.plan = "layerwise",
                              .parameters = graph_parameters(&net->graph),
                              .multiply_adds = graph_multiply_adds(&net->graph),
                              .backward_multiply_adds = graph_backward_multiply_adds(&net->graph),
                              .memory = net->memory_bytes,
                              .huge_pages = answer_of(net->huge_pages),
                              .emulated =
                                  net->rounds ? answer_of(net->type == DNN_F32) : ANSWER_NO};
}

/* Nothing to choose: product.h says what multiplies. */
static void layerwise_names(const struct net *base, net_visit visit, void *user)
{
    (void)base;
    (void)visit;
    (void)user;
}

static struct parameters *layerwise_parameters(struct net *base, struct error *err)
{
    struct layerwise *net = (struct layerwise *)base;

    (void)err;
    for (int i = 1; i < net->graph.count; i++)
        if (net->graph.nodes[i].kind == NODE_EMBEDDING)
            embedding_finish(&net->ops[i]);
    return &net->parameters;
}

/* Of the last loss. */
static float layerwise_logit(const struct net *base, long row, long class)
{
    const struct layerwise *net = (const struct layerwise *)base;

    return loss_logit(&net->ops[net->graph.count - 1], row, class);
}

static void layerwise_running(const struct net *base, int index, const float **ret_mean,
                              const float **ret_variance)
{
    const struct layerwise *net = (const struct layerwise *)base;

    *ret_mean = *ret_variance = NULL;
    if (net->graph.nodes[index].kind == NODE_BATCH_NORM)
        batch_norm_running(&net->ops[index], ret_mean, ret_variance);
}

static const struct net_functions functions = {
    layerwise_step,       layerwise_release, layerwise_facts,  layerwise_names,
    layerwise_parameters, layerwise_logit,   layerwise_running};

static size_t gradient_count(const struct layerwise *net, const struct tensor *tensor)
{
    return tensor->is_passed_on ? (size_t)(net->threads * tensor->width) : tensor->count;
}

/* Whether the output of a node is the table of an embedding itself. */
static bool is_table(const struct layerwise *net, int index)
{
    return net->tensors[index].by_token && net->graph.nodes[index].kind == NODE_EMBEDDING;
}

/* What is read by a loss becomes its own gradient; what is only added to another value has the
 * gradient of the sum. */
static bool take_gradient(struct layerwise *net, int index, struct error *err)
{
    struct tensor *tensor = &net->tensors[index];

    if (is_table(net, index))
        tensor->gradient = net->parameters.list[net->graph.nodes[index].parameter].gradient;
    for (int i = net->graph.count - 1; i > index; i--) {
        const struct node *node = &net->graph.nodes[i];

        if (node->input != index && node->adds != index)
            continue;
        if (is_loss(node))
            tensor->gradient = tensor->value;
        else if (node->adds == index)
            tensor->gradient = net->tensors[i].gradient;
        break;
    }
    if (!tensor->gradient)
        tensor->gradient = layerwise_take(net, gradient_count(net, tensor) * sizeof(float), err);
    return tensor->gradient != NULL;
}

/* Whether the output of a node has a tensor: not a loss, nor tokens, nor what a pool ends. */
static bool layerwise_stores(const struct layerwise *net, int index)
{
    return !is_loss(&net->graph.nodes[index]) && !net->ops[index].pool &&
           (index > 0 || net->graph.data.kind == DATA_IMAGES);
}

static bool make_tensor(struct layerwise *net, int index, struct error *err)
{
    struct tensor *tensor = &net->tensors[index];
    const struct node *node = &net->graph.nodes[index];

    tensor->extent = node->out;
    tensor->rows = tensor->by_token ? net->graph.data.vocabulary : net->batch * node->out.rows;
    tensor->width = extent_count(&node->out) / node->out.rows;
    tensor->count = (size_t)(tensor->rows * tensor->width);
    if (!layerwise_stores(net, index))
        return true;
    tensor->value = is_table(net, index)
                        ? net->parameters.list[node->parameter].value
                        : layerwise_take(net, tensor->count * sizeof(float), err);
    if (!tensor->value)
        return false;
    tensor->operand = tensor->value;
    if (tensor->wants_operand)
        tensor->operand = operand_take(net, tensor->value, tensor->count, err);
    return tensor->operand != NULL;
}

/* Finds what goes through an image together: convolutions, and pools, which alone read what a
 * convolution makes. */
static void layerwise_join(struct layerwise *net)
{
    for (int i = 1; i < net->graph.count; i++) {
        struct op *op = &net->ops[i], *from = &net->ops[op->node->input];

        if (!from->node || from->node->kind != NODE_CONV) {
            assert(op->node->kind != NODE_MAX_POOL);
            continue;
        }
        assert(!from->pool && !from->fed);
        if (op->node->kind == NODE_MAX_POOL) {
            from->pool = op;
        } else {
            assert(op->node->kind == NODE_CONV);
            from->fed = op;
            op->feeder = from;
            op->input->is_passed_on = true;
        }
    }
}

/* Whether a node's output has a row for each token of the vocabulary: LSTMs alone read it, and
 * they multiply fewer rows that way, because tokens come again and again. */
static bool is_by_token(const struct layerwise *net, int index)
{
    const struct graph *graph = &net->graph;
    const struct node *node = &graph->nodes[index];

    if (node->kind != NODE_ONE_HOT &&
        (node->kind != NODE_EMBEDDING || node->positions || graph_is_tied(graph, index)))
        return false;
    for (int i = index + 1; i < graph->count; i++)
        if ((graph->nodes[i].input == index && graph->nodes[i].kind != NODE_LSTM) ||
            graph->nodes[i].adds == index)
            return false;
    return 2 * graph->data.vocabulary <= net->batch * graph->data.length;
}

/* Also finds which node is the first to write a gradient: it is the last to read the value. */
static void layerwise_connect(struct layerwise *net)
{
    bool written[NODES_MAX] = {false};

    for (int i = net->graph.count - 1; i > 0; i--) {
        const struct node *node = &net->graph.nodes[i];
        struct op *op = &net->ops[i];

        *op = (struct op){.functions = kinds[node->kind],
                          .net = net,
                          .node = node,
                          .input = &net->tensors[node->input],
                          .output = &net->tensors[i],
                          .adds = node->adds ? &net->tensors[node->adds] : NULL};
        op->to_input = node->input > 0 && net->graph.nodes[node->input].kind != NODE_ONE_HOT;
        op->adds_to_input = written[node->input];
        written[node->input] = true;
        written[node->adds] = true;
        op->input->wants_operand = op->input->wants_operand || layerwise_multiplies(node);
        op->output->channels_last = node->kind == NODE_CONV;
        op->output->is_rounded = node->kind == NODE_CONV || node->kind == NODE_DENSE;
        op->output->by_token = is_by_token(net, i);
    }
    layerwise_join(net);
}

/* Products read all matrices but tables of embeddings that no dense layer shares. */
static bool is_multiplied(const struct graph *graph, int parameter)
{
    for (int i = 0; i < graph->count; i++) {
        const struct node *node = &graph->nodes[i];

        if (node->kind != NODE_EMBEDDING)
            continue;
        if (parameter == node->parameter)
            return graph_is_tied(graph, i);
        if (node->positions && parameter == node->parameter + 1)
            return false;
    }
    return graph->parameters[parameter].rows > 0;
}

static bool make_operands(struct layerwise *net, struct error *err)
{
    for (int i = 0; i < net->parameters.count; i++) {
        const struct parameter *p = &net->parameters.list[i];

        if (!is_multiplied(&net->graph, i))
            continue;
        net->operands[i] = operand_take(net, p->value, p->count, err);
        if (!net->operands[i])
            return false;
        operand_round(net, p->value, (struct share){0, (long)p->count}, net->operands[i]);
    }
    return true;
}

static bool make_data(struct layerwise *net, struct error *err)
{
    const struct data_shape *data = &net->graph.data;
    size_t batch = (size_t)net->batch;

    net->labels =
        layerwise_take(net, batch * (size_t)samples_labels_each(data) * sizeof *net->labels, err);
    if (!net->labels || data->kind == DATA_IMAGES)
        return net->labels != NULL;
    net->tokens = layerwise_take(net, batch * (size_t)data->length * sizeof *net->tokens, err);
    return net->tokens != NULL;
}

static int states_of(const struct layerwise *net)
{
    return net->learns ? optimizer_states(net->optimizer.kind) : 0;
}

/* Values, gradients and operands, of the batch and of the parameters. */
static bool check_memory(const struct layerwise *net, struct error *err)
{
    double have = (double)host_free_memory();
    double need =
        (double)graph_parameters(&net->graph) * (2 + states_of(net) + 0.5 * net->rounds) -
        (double)learn_saves(net);

    for (int i = 0; i < net->graph.count; i++)
        if (layerwise_stores(net, i) && !net->tensors[i].by_token)
            need += (double)net->batch * (double)extent_count(&net->graph.nodes[i].out) *
                    (1 + net->rounds + !net->tensors[i].is_passed_on);
    need *= sizeof(float);
    if (need > have)
        return error_set(err, ERROR_INVALID, "batch_size",
                         "%ld needs about %.1f GiB of memory, %.1f GiB are free", net->batch,
                         need / GIB, have / GIB);
    return true;
}

static bool make_ops(struct layerwise *net, struct error *err)
{
    for (int i = 0; i < net->graph.count; i++)
        if (!make_tensor(net, i, err))
            return false;
    for (int i = net->graph.count - 1; i > 0; i--)
        if (layerwise_stores(net, i) && !take_gradient(net, i, err))
            return false;
    for (int i = 1; i < net->graph.count; i++)
        if (net->ops[i].functions->make && !net->ops[i].functions->make(&net->ops[i], err))
            return false;
    return true;
}

static bool make_parameters(struct layerwise *net, struct error *err)
{
    struct parameters *parameters = &net->parameters;

    if (!graph_allocate_parameters(&net->graph, states_of(net), parameters, err))
        return false;
    if (host_ask_huge_pages(parameters->memory, parameters->bytes))
        net->huge_pages = true;
    graph_fill_parameters(&net->graph, net->seed, parameters);
    return true;
}

static bool make_scratch(struct layerwise *net, struct error *err)
{
    if (!net->kernel)
        return true;
    net->scratch = layerwise_take(net, (size_t)net->threads * net->kernel->scratch_bytes, err);
    return net->scratch != NULL;
}

static bool make_all(struct layerwise *net, struct error *err)
{
    net->errors = xcalloc((size_t)net->threads, sizeof *net->errors);
    layerwise_connect(net);
    host_set_threads(1); /* of the library, for each of ours */
    net->dnn = dnn_open(net->threads, err);
    learn_choose(net);
    return net->dnn && check_memory(net, err) && make_parameters(net, err) &&
           make_scratch(net, err) && make_operands(net, err) && make_data(net, err) &&
           make_ops(net, err) && learn_make(net, err) &&
           (net->team = team_new(net->threads, err));
}

struct net *layerwise_new(const struct graph *graph, const struct optimizer *optimizer,
                          const struct net_options *options, struct error *err)
{
    struct layerwise *net = xcalloc(1, sizeof *net);
    bool native = options->isa >= CPU_AVX512_BF16;

    net->net.functions = &functions;
    net->graph = *graph;
    net->learns = optimizer != NULL;
    net->keeps_gradients = options->keep_gradients;
    if (optimizer)
        net->optimizer = *optimizer;
    net->batch = options->batch;
    net->threads = options->threads;
    net->seed = options->seed;
    net->joiner = options->joiner;
    net->isa = options->isa;
    net->rounds = options->type == DNN_BF16;
    net->type = net->rounds && native ? DNN_BF16 : DNN_F32;
    net->kernel = product_kernel_for(options->isa, net->type);
    net->elements = elements_for(options->isa);
    if (!make_all(net, err)) {
        layerwise_release(&net->net);
        return NULL;
    }
    return &net->net;
}
