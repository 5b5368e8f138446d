#include "engine/train/net.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "engine/train/layer.h"
#include "engine/train/recipe.h"

#include <math.h>

struct net {
    struct network network;
    struct net_options options;
    struct layer_context context;
    struct parameters parameters;
    struct tensor images, outputs[LAYERS_MAX];
    struct layer_state layers[LAYERS_MAX];
    float *source; /* NCHW f32: what is trained on */
    struct dnn_op *take_images;
};

static bool check_memory(const struct net *net, struct error *err)
{
    double gib = 1024.0 * 1024 * 1024, need = 0;
    double have = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / gib;

    /* Of each output: itself, its gradient, a spare for a second reader's, and what stands before
     * the batch-norm, twice. */
    for (int i = 0; i < net->network.count; i++)
        need += 5.0 * (double)tensor_bytes(&net->outputs[i]);
    need = need / gib + 0.6;
    if (need > have)
        return error_set(err, ERROR_INVALID, "batch_size",
                         "%ld needs about %.1f GiB of memory, %.1f GiB are free",
                         net->options.batch, need, have);
    return true;
}

static void shape_outputs(struct net *net)
{
    const struct layer *first = &net->network.layers[0];

    net->images.shape = (struct dnn_images){net->options.batch, first->in_channels,
                                            first->in_size, first->in_size, net->options.type};
    for (int i = 0; i < net->network.count; i++) {
        const struct layer *layer = &net->network.layers[i];

        net->outputs[i].shape =
            (struct dnn_images){net->options.batch, layer->out_channels, layer->out_size,
                                layer->out_size, net->options.type};
    }
}

static int readers(const struct network *network, int index)
{
    int count = 0;

    for (int i = 0; i < network->count; i++)
        count += (network->layers[i].input == index) + (network->layers[i].adds == index);
    return count;
}

static bool make_output(struct net *net, int index, struct error *err)
{
    struct tensor *tensor = &net->outputs[index];
    size_t bytes = tensor_bytes(tensor);

    tensor->value = layer_memory(bytes, err);
    tensor->gradient = layer_memory(bytes, err);
    if (!tensor->value || !tensor->gradient)
        return false;
    if (readers(&net->network, index) < 2)
        return true;
    tensor->spare = layer_memory(bytes, err);
    tensor->gather = dnn_add(net->context.dnn, tensor->shape, false, err);
    return tensor->spare && tensor->gather;
}

static bool make_layer(struct net *net, int index, struct error *err)
{
    struct layer_state *state = &net->layers[index];
    const struct layer *layer = &net->network.layers[index];

    state->layer = layer;
    state->input = layer->input < 0 ? &net->images : &net->outputs[layer->input];
    state->shortcut = layer->adds < 0 ? NULL : &net->outputs[layer->adds];
    state->output = &net->outputs[index];
    state->needs_input_gradient = layer->input >= 0;
    if (layer->kind == LAYER_CONV)
        return layer_conv_make(state, &net->context, err);
    if (layer->kind == LAYER_LINEAR)
        return layer_linear_make(state, &net->context, err);
    return layer_pool_make(state, &net->context, err);
}

static bool make_images(struct net *net, struct error *err)
{
    const struct dnn_images *shape = &net->images.shape;
    size_t count = (size_t)(shape->batch * shape->channels * shape->height * shape->width);

    net->images.value = layer_memory(tensor_bytes(&net->images), err);
    net->source = layer_memory(count * sizeof(float), err);
    net->take_images = dnn_take_images(net->context.dnn, *shape, err);
    if (!net->images.value || !net->source || !net->take_images)
        return false;
    recipe_fill(net->source, count, "images", net->options.seed, sqrtf(3), 0);
    return true;
}

static bool load_weights(struct net *net, struct error *err)
{
    for (int i = 0; i < net->network.count; i++)
        if (net->layers[i].functions->load &&
            !net->layers[i].functions->load(&net->layers[i], err))
            return false;
    return true;
}

static bool build(struct net *net, struct error *err)
{
    shape_outputs(net);
    if (!check_memory(net, err) ||
        !parameters_make(&net->parameters, &net->network, net->options.seed, err))
        return false;
    net->context.dnn = dnn_open(1, err);
    if (!net->context.dnn)
        return false;
    for (int i = 0; i < net->network.count; i++)
        if (!make_output(net, i, err) || !make_layer(net, i, err))
            return false;
    return make_images(net, err) && load_weights(net, err);
}

struct net *net_new(const struct network *network, const struct net_options *options,
                    struct error *err)
{
    struct net *net = calloc(1, sizeof *net);

    if (!net) {
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    net->network = *network;
    net->options = *options;
    net->context.parameters = &net->parameters;
    if (!build(net, err)) {
        net_free(net);
        return NULL;
    }
    return net;
}

static bool forward(struct net *net, struct error *err)
{
    for (int i = 0; i < net->network.count; i++)
        if (!net->layers[i].functions->forward(&net->layers[i], err))
            return false;
    return true;
}

static bool backward(struct net *net, struct error *err)
{
    for (int i = net->network.count - 1; i >= 0; i--)
        if (!net->layers[i].functions->backward(&net->layers[i], err))
            return false;
    return true;
}

bool net_step(struct net *net, double *ret_loss, struct net_times *ret_times, struct error *err)
{
    void *const input[] = {net->source, net->images.value};
    long long start = clock_monotonic_ns(), taken, computed, learnt, end;

    for (int i = 0; i < net->network.count; i++)
        net->outputs[i].has_gradient = false;
    if (!dnn_op_run(net->take_images, input, err))
        return false;
    taken = clock_monotonic_ns();
    if (!forward(net, err))
        return false;
    *ret_loss = layer_linear_loss(&net->layers[net->network.count - 1]);
    computed = clock_monotonic_ns();
    if (!backward(net, err))
        return false;
    learnt = clock_monotonic_ns();
    parameters_update(&net->parameters, &net->options.sgd);
    if (!load_weights(net, err))
        return false;
    end = clock_monotonic_ns();
    *ret_times =
        (struct net_times){taken - start, computed - taken, learnt - computed, end - learnt};
    return true;
}

void net_free(struct net *net)
{
    if (!net)
        return;
    for (int i = 0; i < net->network.count; i++) {
        if (net->layers[i].own)
            net->layers[i].functions->release(&net->layers[i]);
        free(net->outputs[i].value);
        free(net->outputs[i].gradient);
        free(net->outputs[i].spare);
        dnn_op_free(net->outputs[i].gather);
    }
    dnn_op_free(net->take_images);
    free(net->images.value);
    free(net->source);
    dnn_close(net->context.dnn);
    parameters_free(&net->parameters);
    free(net);
}

struct parameters *net_parameters(struct net *net)
{
    return &net->parameters;
}

float net_logit(const struct net *net, long image, long class)
{
    return layer_linear_logit(&net->layers[net->network.count - 1], image, class);
}

void net_running(const struct net *net, int index, const float **ret_mean,
                 const float **ret_variance)
{
    struct running running = layer_conv_running(&net->layers[index]);

    *ret_mean = running.mean;
    *ret_variance = running.variance;
}

void net_names(const struct net *net,
               void (*tell)(void *user, const char *pass, const char *name), void *user)
{
    for (int i = 0; i < net->network.count; i++)
        if (net->network.layers[i].kind == LAYER_CONV)
            layer_conv_names(&net->layers[i], tell, user);
}
