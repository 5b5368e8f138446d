/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/plain/layer_linear.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "engine/train/kernels/loss.h"
#include "engine/train/plain/layer_memory.h"
#include "engine/train/plain/layer_weights.h"

#include <assert.h>
#include <stdint.h>

struct linear {
    struct layer_weights weights;
    struct parameter *bias;
    float *row; /* (classes): one image's logits, then their gradient */
};

static float read_value(const struct tensor *tensor, const void *values, long index)
{
    uint32_t bits;
    float value;

    if (tensor->shape.type == DNN_F32)
        return ((const float *)values)[index];
    bits = (uint32_t)((const uint16_t *)values)[index] << 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void write_value(const struct tensor *tensor, void *values, long index, float value)
{
    uint32_t bits;

    if (tensor->shape.type == DNN_F32) {
        ((float *)values)[index] = value;
        return;
    }
    memcpy(&bits, &value, sizeof bits);
    bits += 0x7fff + ((bits >> 16) & 1); /* to nearest, ties to even */
    ((uint16_t *)values)[index] = (uint16_t)(bits >> 16);
}

static bool layer_linear_forward(struct layer_state *state, struct error *err)
{
    struct linear *linear = state->own;

    return layer_weights_forward(&linear->weights, state, state->output->value, err);
}

float layer_linear_logit(const struct layer_state *state, long image, long class)
{
    const struct linear *linear = state->own;
    long classes = state->layer->out_channels;

    return read_value(state->output, state->output->value, image * classes + class) +
           linear->bias->value[class];
}

double layer_linear_loss(struct layer_state *state, struct joiner *joiner)
{
    struct linear *linear = state->own;
    long classes = state->layer->out_channels, batch = state->output->shape.batch;
    long all = batch * joiner_ranks(joiner), before = batch * joiner_rank(joiner);
    double loss = 0;

    assert(classes >= LOSS_LABELS && linear->bias->count == (size_t)classes);
    assert(!state->output->has_gradient);
    memset(linear->bias->gradient, 0, linear->bias->count * sizeof(float));
    for (long image = 0; image < batch; image++) {
        for (long c = 0; c < classes; c++)
            linear->row[c] = layer_linear_logit(state, image, c);
        loss += loss_cross_entropy(linear->row, classes, (before + image) % LOSS_LABELS, all);
        for (long c = 0; c < classes; c++) {
            linear->bias->gradient[c] += linear->row[c];
            write_value(state->output, state->output->gradient, image * classes + c,
                        linear->row[c]);
        }
    }
    state->output->has_gradient = true;
    return joiner_mean(joiner, loss / (double)batch);
}

static bool layer_linear_backward(struct layer_state *state, struct error *err)
{
    struct linear *linear = state->own;

    return layer_weights_backward(&linear->weights, state, state->output->gradient, err);
}

static bool layer_linear_load(struct layer_state *state, struct error *err)
{
    struct linear *linear = state->own;

    return layer_weights_load(&linear->weights, err);
}

static void layer_linear_release(struct layer_state *state)
{
    struct linear *linear = state->own;

    layer_weights_free(&linear->weights);
    free(linear->row);
    free(linear);
}

bool layer_linear_make(struct layer_state *state, struct layer_context *context,
                       struct error *err)
{
    static const struct layer_kind_functions functions = {
        layer_linear_forward, layer_linear_backward, layer_linear_load, layer_linear_release};
    struct linear *linear = xcalloc(1, sizeof *linear);

    state->own = linear;
    state->functions = &functions;
    linear->bias = parameters_find(context->parameters, state->layer->name, "bias");
    if (!layer_weights_make(&linear->weights, state, context, err))
        return false;
    linear->row = layer_memory((size_t)state->layer->out_channels * sizeof(float), err);
    return linear->row != NULL;
}
