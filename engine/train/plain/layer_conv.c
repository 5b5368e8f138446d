#include "engine/train/plain/layer_conv.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "engine/train/onednn/dnn_make.h"
#include "engine/train/plain/layer_memory.h"
#include "engine/train/plain/layer_weights.h"

#include <assert.h>

#define EPSILON 1e-5f
#define RUNNING_SHARE 0.1f /* of the newest batch in the running statistics */

struct conv {
    struct layer_weights weights;
    struct dnn_op *norm, *norm_backward, *add, *relu_backward;
    struct parameter *scale, *shift;
    /* Each (N, K, P, P) in the order and type of the layer's output. */
    void *convolved, *convolved_gradient;   /* before the batch-norm */
    void *normalised, *normalised_gradient; /* behind it; NULL without a shortcut */
    void *workspace;                        /* bytes as oneDNN asks for: outputs the ReLU kept */
    float *mean, *variance;                 /* (K) each */
    float *running_mean, *running_variance; /* (K) each */
    struct reorder shortcut;                /* from its order to the output's */
    struct dnn_op *give_gradient;           /* back; NULL: the orders are the same */
    long count;                             /* numbers behind each mean */
};

static bool make_shortcut(struct conv *conv, const struct layer_state *state,
                          struct layer_context *context, struct error *err)
{
    const struct dnn_images *ours = &state->output->shape, *theirs = &state->shortcut->shape;

    conv->add = dnn_add(context->dnn, *ours, state->layer->relu, err);
    conv->relu_backward = dnn_relu_backward(context->dnn, *ours, err);
    if (!conv->add || !conv->relu_backward ||
        !reorder_make_in(&conv->shortcut, theirs, ours, &context->rooms, 0, err))
        return false;
    if (dnn_images_lie_alike(ours, theirs))
        return true;
    conv->give_gradient = dnn_image_reorder(context->dnn, *ours, *theirs, err);
    return conv->give_gradient != NULL;
}

static bool make_norm(struct conv *conv, const struct layer_state *state,
                      struct layer_context *context, struct error *err)
{
    const struct dnn_norm shape = {.images = state->output->shape,
                                   .epsilon = EPSILON,
                                   .relu = state->layer->relu && !state->shortcut};

    conv->norm = dnn_norm(context->dnn, DNN_FORWARD, &shape, err);
    conv->norm_backward = dnn_norm(context->dnn, DNN_BACKWARD_DATA, &shape, err);
    if (!conv->norm || !conv->norm_backward)
        return false;
    return !state->shortcut || make_shortcut(conv, state, context, err);
}

/* Allocates `bytes` to *memory; nothing to do for 0. */
static bool take_memory(size_t bytes, void *ret_memory, struct error *err)
{
    void *memory = bytes ? layer_memory(bytes, err) : NULL;

    memcpy(ret_memory, &memory, sizeof memory);
    return memory || !bytes;
}

static bool make_memory(struct conv *conv, const struct layer_state *state, struct error *err)
{
    size_t channels = (size_t)state->layer->out_channels * sizeof(float);
    size_t output = tensor_bytes(state->output), between = state->shortcut ? output : 0;

    assert(conv->scale && conv->scale->count == (size_t)state->layer->out_channels);
    assert(conv->shift && conv->shift->count == (size_t)state->layer->out_channels);
    conv->count = state->output->shape.batch * state->layer->out_size * state->layer->out_size;
    return take_memory(output, &conv->convolved, err) &&
           take_memory(output, &conv->convolved_gradient, err) &&
           take_memory(between, &conv->normalised, err) &&
           take_memory(between, &conv->normalised_gradient, err) &&
           take_memory(dnn_op_size(conv->norm, 6), &conv->workspace, err) &&
           take_memory(channels, &conv->mean, err) &&
           take_memory(channels, &conv->variance, err) &&
           take_memory(channels, &conv->running_mean, err) &&
           take_memory(channels, &conv->running_variance, err);
}

/* As PyTorch keeps them: the running variance is the unbiased one. */
static void keep_running(struct conv *conv, long channels)
{
    float unbiased = (float)conv->count / (float)(conv->count - 1);

    for (long c = 0; c < channels; c++) {
        conv->running_mean[c] += RUNNING_SHARE * (conv->mean[c] - conv->running_mean[c]);
        conv->running_variance[c] +=
            RUNNING_SHARE * (unbiased * conv->variance[c] - conv->running_variance[c]);
    }
}

static bool layer_conv_forward(struct layer_state *state, struct error *err)
{
    struct conv *conv = state->own;
    void *out = state->shortcut ? conv->normalised : state->output->value;
    void *const norm[] = {conv->convolved, conv->scale->value, conv->shift->value,
                          conv->mean,      conv->variance,     out,
                          conv->workspace};

    if (!layer_weights_forward(&conv->weights, state, conv->convolved, err) ||
        !dnn_op_run(conv->norm, norm, err))
        return false;
    keep_running(conv, state->layer->out_channels);
    if (!state->shortcut)
        return true;
    void *const add[] = {conv->normalised,
                         reorder_in(&conv->shortcut, state->shortcut->value, err),
                         state->output->value};
    return add[1] && dnn_op_run(conv->add, add, err);
}

/* The gradient behind the batch-norm; the shortcut gets its share of it. */
static bool through_shortcut(struct layer_state *state, struct error *err)
{
    struct conv *conv = state->own;
    void *const relu[] = {state->output->value, state->output->gradient,
                          conv->normalised_gradient};

    if (!dnn_op_run(conv->relu_backward, relu, err))
        return false;
    void *const give[] = {conv->normalised_gradient, tensor_gradient_place(state->shortcut)};
    assert(conv->give_gradient ||
           tensor_bytes(state->shortcut) == tensor_bytes(state->output)); /* lie alike */
    if (!conv->give_gradient)
        memcpy(give[1], give[0], tensor_bytes(state->shortcut));
    else if (!dnn_op_run(conv->give_gradient, give, err))
        return false;
    return tensor_gradient_placed(state->shortcut, err);
}

static bool layer_conv_backward(struct layer_state *state, struct error *err)
{
    struct conv *conv = state->own;
    void *gradient = state->shortcut ? conv->normalised_gradient : state->output->gradient;
    void *const norm[] = {
        conv->convolved,       conv->mean,           conv->variance,  gradient,
        conv->scale->value,    conv->shift->value,   conv->workspace, conv->convolved_gradient,
        conv->scale->gradient, conv->shift->gradient};

    if (state->shortcut && !through_shortcut(state, err))
        return false;
    return dnn_op_run(conv->norm_backward, norm, err) &&
           layer_weights_backward(&conv->weights, state, conv->convolved_gradient, err);
}

static bool layer_conv_load(struct layer_state *state, struct error *err)
{
    struct conv *conv = state->own;

    return layer_weights_load(&conv->weights, err);
}

static void layer_conv_release(struct layer_state *state)
{
    struct conv *conv = state->own;
    void *memory[] = {conv->convolved, conv->convolved_gradient,  conv->normalised,
                      conv->workspace, conv->normalised_gradient, conv->mean,
                      conv->variance,  conv->running_mean,        conv->running_variance};

    layer_weights_free(&conv->weights);
    dnn_op_free(conv->norm);
    dnn_op_free(conv->norm_backward);
    dnn_op_free(conv->add);
    dnn_op_free(conv->relu_backward);
    dnn_op_free(conv->give_gradient);
    reorder_free(&conv->shortcut);
    for (size_t i = 0; i < COUNT(memory); i++)
        free(memory[i]);
    free(conv);
}

bool layer_conv_make(struct layer_state *state, struct layer_context *context, struct error *err)
{
    static const struct layer_kind_functions functions = {layer_conv_forward, layer_conv_backward,
                                                          layer_conv_load, layer_conv_release};
    const struct layer *layer = state->layer;
    struct conv *conv = xcalloc(1, sizeof *conv);

    state->own = conv;
    state->functions = &functions;
    conv->scale = parameters_find(context->parameters, layer->norm, "weight");
    conv->shift = parameters_find(context->parameters, layer->norm, "bias");
    if (!layer_weights_make(&conv->weights, state, context, err) ||
        !make_norm(conv, state, context, err) || !make_memory(conv, state, err))
        return false;
    for (long c = 0; c < layer->out_channels; c++)
        conv->running_variance[c] = 1;
    return true;
}

struct running layer_conv_running(const struct layer_state *state)
{
    const struct conv *conv = state->own;

    if (state->layer->kind != LAYER_CONV)
        return (struct running){0};
    return (struct running){conv->running_mean, conv->running_variance};
}

void layer_conv_names(const struct layer_state *state, net_visit visit, void *user)
{
    const struct conv *conv = state->own;
    const char *layer = state->layer->name;

    visit(user, layer, "forward", dnn_op_name(conv->weights.forward));
    if (conv->weights.backward_data)
        visit(user, layer, "backward_data", dnn_op_name(conv->weights.backward_data));
    visit(user, layer, "backward_weights", dnn_op_name(conv->weights.backward_weights));
    visit(user, layer, "norm", dnn_op_name(conv->norm));
    visit(user, layer, "norm_backward", dnn_op_name(conv->norm_backward));
}
