/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/plain/plain.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "common/units.h"
#include "engine/train/networks/tensor_init.h"
#include "engine/train/onednn/dnn_make.h"
#include "engine/train/plain/layer.h"
#include "engine/train/plain/layer_conv.h"
#include "engine/train/plain/layer_linear.h"
#include "engine/train/plain/layer_memory.h"
#include "engine/train/plain/layer_pool.h"
#include "engine/train/threads/host.h"

struct plain {
    struct net net; /* first: a pointer to it is a pointer to the whole */
    struct network network;
    struct net_options options;
    struct parameters parameters;
    struct layer_context context;
    struct tensor images, outputs[LAYERS_MAX];
    struct layer_state layers[LAYERS_MAX];
    float *source; /* (N, C, H, W): the training images */
    struct dnn_op *take_images;
};

static bool check_memory(const struct plain *plain, struct error *err)
{
    double need = 0, have = (double)host_free_memory();

    /* Of each output: itself, its gradient, a spare for a second reader's, and what stands before
     * the batch-norm, twice. */
    for (int i = 0; i < plain->network.count; i++)
        need += 5.0 * (double)tensor_bytes(&plain->outputs[i]);
    need += 0.6 * GIB; /* weights and gradients in their layouts */
    if (need > have)
        return error_set(err, ERROR_INVALID, "batch_size",
                         "%ld needs about %.1f GiB of memory, %.1f GiB are free",
                         plain->options.batch, need / GIB, have / GIB);
    return true;
}

static struct dnn_images shape_of(const struct plain *plain, int channels, int size)
{
    return (struct dnn_images){.batch = plain->options.batch,
                               .channels = channels,
                               .height = size,
                               .width = size,
                               .type = plain->options.type};
}

/* Where convolutions decide the order, they say so when they are made; images come as they are.
 */
static void shape_outputs(struct plain *plain)
{
    const struct layer *first = &plain->network.layers[0];
    enum net_layout layout = plain->options.layout;

    plain->images.shape = shape_of(plain, first->in_channels, first->in_size);
    plain->images.shape.order = layout == NET_NHWC ? DNN_NHWC : DNN_NCHW;
    for (int i = 0; i < plain->network.count; i++) {
        const struct layer *layer = &plain->network.layers[i];

        plain->outputs[i].shape = shape_of(plain, layer->out_channels, layer->out_size);
        if (layout == NET_NCHW && layer->kind != LAYER_LINEAR)
            plain->outputs[i].shape.order = DNN_NCHW;
    }
}

static int plain_readers(const struct network *network, int index)
{
    int count = 0;

    for (int i = 0; i < network->count; i++)
        count += (network->layers[i].input == index) + (network->layers[i].adds == index);
    return count;
}

static bool make_output(struct plain *plain, int index, struct error *err)
{
    struct tensor *tensor = &plain->outputs[index];
    size_t bytes = tensor_bytes(tensor);

    tensor->value = layer_memory(bytes, err);
    tensor->gradient = layer_memory(bytes, err);
    if (!tensor->value || !tensor->gradient)
        return false;
    if (plain_readers(&plain->network, index) < 2)
        return true;
    tensor->spare = layer_memory(bytes, err);
    tensor->gather = dnn_add(plain->context.dnn, tensor->shape, false, err);
    return tensor->spare && tensor->gather;
}

static bool make_layer(struct plain *plain, int index, struct error *err)
{
    struct layer_state *state = &plain->layers[index];
    const struct layer *layer = &plain->network.layers[index];

    state->layer = layer;
    state->input = layer->input < 0 ? &plain->images : &plain->outputs[layer->input];
    state->shortcut = layer->adds < 0 ? NULL : &plain->outputs[layer->adds];
    state->output = &plain->outputs[index];
    state->needs_input_gradient = layer->input >= 0;
    if (layer->kind == LAYER_CONV)
        return layer_conv_make(state, &plain->context, err);
    if (layer->kind == LAYER_LINEAR)
        return layer_linear_make(state, &plain->context, err);
    return layer_pool_make(state, &plain->context, err);
}

static bool make_rooms(struct plain *plain, struct error *err)
{
    struct reorder_rooms *rooms = &plain->context.rooms;

    for (int i = 0; i < REORDER_ROOMS; i++) {
        if (rooms->bytes[i] > 0)
            rooms->memory[i] = layer_memory(rooms->bytes[i], err);
        if (rooms->bytes[i] > 0 && !rooms->memory[i])
            return false;
    }
    return true;
}

static bool make_images(struct plain *plain, struct error *err)
{
    const struct dnn_images *shape = &plain->images.shape;
    size_t count = (size_t)(shape->batch * shape->channels * shape->height * shape->width);

    plain->images.value = layer_memory(tensor_bytes(&plain->images), err);
    plain->source = layer_memory(count * sizeof(float), err);
    plain->take_images = dnn_take_images(plain->context.dnn, *shape, err);
    if (!plain->images.value || !plain->source || !plain->take_images)
        return false;
    tensor_init_images(plain->source, count * (size_t)joiner_rank(plain->options.joiner), count,
                       plain->options.seed);
    return true;
}

static bool load_weights(struct plain *plain, struct error *err)
{
    for (int i = 0; i < plain->network.count; i++)
        if (plain->layers[i].functions->load &&
            !plain->layers[i].functions->load(&plain->layers[i], err))
            return false;
    return true;
}

static bool plain_build(struct plain *plain, struct error *err)
{
    if (plain->options.type == DNN_BF16 && plain->options.isa < CPU_AVX512)
        return error_set(err, ERROR_INVALID, "plan",
                         "plain has no bf16 without AVX-512; auto and fixed emulate it");
    if (plain->options.input_workers > 0)
        return error_set(err, ERROR_INVALID, "input_workers", "plan plain makes its own input");
    host_lead_threads(plain->options.threads);
    shape_outputs(plain);
    if (!check_memory(plain, err))
        return false;
    plain->context.dnn = dnn_open(1, err);
    if (!plain->context.dnn)
        return false;
    plain->context.rooms.dnn = plain->context.dnn;
    plain->context.layout = plain->options.layout;
    for (int i = 0; i < plain->network.count; i++)
        if (!make_layer(plain, i, err) || !make_output(plain, i, err))
            return false;
    return make_rooms(plain, err) && make_images(plain, err) && load_weights(plain, err);
}

static bool plain_forward(struct plain *plain, struct error *err)
{
    for (int i = 0; i < plain->network.count; i++)
        if (!plain->layers[i].functions->forward(&plain->layers[i], err))
            return false;
    return true;
}

static bool plain_backward(struct plain *plain, struct error *err)
{
    for (int i = plain->network.count - 1; i >= 0; i--)
        if (!plain->layers[i].functions->backward(&plain->layers[i], err))
            return false;
    return true;
}

static bool plain_step(struct net *net, double *ret_loss, struct step_split *ret_split,
                       struct error *err)
{
    struct plain *plain = (struct plain *)net;
    void *const input[] = {plain->source, plain->images.value};
    long long start = host_clock_ns(), taken, computed, learnt, joined, end;

    for (int i = 0; i < plain->network.count; i++)
        plain->outputs[i].has_gradient = false;
    if (!dnn_op_run(plain->take_images, input, err))
        return false;
    taken = host_clock_ns();
    if (!plain_forward(plain, err))
        return false;
    *ret_loss =
        layer_linear_loss(&plain->layers[plain->network.count - 1], plain->options.joiner);
    computed = host_clock_ns();
    if (!plain_backward(plain, err))
        return false;
    learnt = host_clock_ns();
    joiner_gradients(plain->options.joiner, &plain->parameters);
    joined = joiner_joins(plain->options.joiner) ? host_clock_ns() : learnt;
    parameters_update(&plain->parameters, &plain->options.sgd);
    if (!load_weights(plain, err))
        return false;
    end = host_clock_ns();
    *ret_split = (struct step_split){.input = taken - start,
                                     .forward = computed - taken,
                                     .backward = learnt - computed,
                                     .communication = joined - learnt,
                                     .update = end - joined};
    return true;
}

static void plain_release(struct net *net)
{
    struct plain *plain = (struct plain *)net;

    for (int i = 0; i < plain->network.count; i++) {
        if (plain->layers[i].own)
            plain->layers[i].functions->release(&plain->layers[i]);
        free(plain->outputs[i].value);
        free(plain->outputs[i].gradient);
        free(plain->outputs[i].spare);
        dnn_op_free(plain->outputs[i].gather);
    }
    dnn_op_free(plain->take_images);
    for (int i = 0; i < REORDER_ROOMS; i++)
        free(plain->context.rooms.memory[i]);
    free(plain->images.value);
    free(plain->source);
    dnn_close(plain->context.dnn);
    parameters_free(&plain->parameters);
    free(plain);
}

/* The operations read and write them where they are shown. */
static struct parameters *plain_parameters(struct net *net, struct error *err)
{
    (void)err;
    return &((struct plain *)net)->parameters;
}

static float plain_logit(const struct net *net, long image, long class)
{
    const struct plain *plain = (const struct plain *)net;

    return layer_linear_logit(&plain->layers[plain->network.count - 1], image, class);
}

static void plain_running(const struct net *net, int index, const float **ret_mean,
                          const float **ret_variance)
{
    const struct plain *plain = (const struct plain *)net;
    struct running running = layer_conv_running(&plain->layers[index]);

    *ret_mean = running.mean;
    *ret_variance = running.variance;
}

static void plain_names(const struct net *net, net_visit visit, void *user)
{
    const struct plain *plain = (const struct plain *)net;

    for (int i = 0; i < plain->network.count; i++)
        if (plain->network.layers[i].kind == LAYER_CONV)
            layer_conv_names(&plain->layers[i], visit, user);
}

static struct net_facts plain_facts(const struct net *net)
{
    const struct plain *plain = (const struct plain *)net;

    struct net_facts facts = net_facts_of(&plain->network, &plain->options);

    facts.plan = "plain";
    facts.emulated =
        answer_of(plain->options.type == DNN_BF16 && plain->options.isa < CPU_AVX512_BF16);
    return facts;
}

static const struct net_functions functions = {.step = plain_step,
                                               .free = plain_release,
                                               .facts = plain_facts,
                                               .names = plain_names,
                                               .parameters = plain_parameters,
                                               .logit = plain_logit,
                                               .running = plain_running};

struct net *plain_new(const struct network *network, const struct net_options *options,
                      struct error *err)
{
    struct plain *plain = xcalloc(1, sizeof *plain);

    plain->net.functions = &functions;
    plain->network = *network;
    plain->options = *options;
    plain->context.parameters = &plain->parameters;
    if (!parameters_make(&plain->parameters, network, options->seed, err) ||
        !plain_build(plain, err)) {
        plain_release(&plain->net);
        return NULL;
    }
    return &plain->net;
}
