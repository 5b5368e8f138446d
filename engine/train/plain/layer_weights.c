/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/plain/layer_weights.h"

#include "common/cleanup.h"
#include "engine/train/onednn/dnn_make.h"
#include "engine/train/plain/layer_memory.h"

#include <assert.h>

/* Images as the operations are to take them. The linear layer keeps plain rows: others read them.
 */
static struct dnn_images weights_wish(const struct layer_state *state, enum net_layout layout,
                                      const struct tensor *tensor)
{
    struct dnn_images images = tensor->shape;

    images.order = layout == NET_NHWC || state->layer->kind == LAYER_LINEAR ? DNN_NHWC : DNN_FREE;
    images.like = NULL;
    return images;
}

static bool make_operations(struct layer_weights *w, const struct layer_state *state,
                            const struct layer_context *context, struct error *err)
{
    const struct layer *layer = state->layer;
    const struct dnn_convolution shape = {
        .input = weights_wish(state, context->layout, state->input),
        .output = weights_wish(state, context->layout, state->output),
        .kernel = layer->kernel,
        .stride = layer->stride,
        .padding = layer->padding};
    const struct dnn_layout plain = {0};
    struct dnn *dnn = context->dnn;

    w->forward = dnn_convolution(dnn, DNN_FORWARD, &shape, NULL, err);
    w->backward_weights = dnn_convolution(dnn, DNN_BACKWARD_WEIGHTS, &shape, NULL, err);
    if (!w->forward || !w->backward_weights)
        return false;
    w->load_forward =
        dnn_weight_reorder(dnn, &shape, plain, (struct dnn_layout){.of = w->forward}, err);
    w->store_gradient = dnn_weight_reorder(
        dnn, &shape, (struct dnn_layout){.of = w->backward_weights}, plain, err);
    if (!w->load_forward || !w->store_gradient)
        return false;
    if (!state->needs_input_gradient)
        return true;
    w->backward_data = dnn_convolution(dnn, DNN_BACKWARD_DATA, &shape, NULL, err);
    if (!w->backward_data)
        return false;
    w->load_backward =
        dnn_weight_reorder(dnn, &shape, plain, (struct dnn_layout){.of = w->backward_data}, err);
    return w->load_backward != NULL;
}

/* From `tensor` to what `op` reads at `place`. */
static bool weights_bring(struct reorder *reorder, const struct tensor *tensor,
                          const struct dnn_op *op, int place, struct reorder_rooms *rooms,
                          struct error *err)
{
    const struct dnn_images wanted = dnn_op_images(op, place, tensor->shape);

    /* Its first input has one room, its second the other. */
    return reorder_make_in(reorder, &tensor->shape, &wanted, rooms, place > 0, err);
}

/* From what `op` writes, which stands third, to `tensor`. */
static bool weights_fetch(struct reorder *reorder, const struct tensor *tensor,
                          const struct dnn_op *op, struct reorder_rooms *rooms, struct error *err)
{
    const struct dnn_images made = dnn_op_images(op, 2, tensor->shape);

    return reorder_make_out(reorder, &made, &tensor->shape, rooms, 1, err);
}

static bool make_reorders(struct layer_weights *w, const struct layer_state *state,
                          struct reorder_rooms *rooms, struct error *err)
{
    const struct tensor *input = state->input, *output = state->output;

    if (!weights_bring(&w->input, input, w->forward, 0, rooms, err) ||
        !weights_fetch(&w->output, output, w->forward, rooms, err) ||
        !weights_bring(&w->learnt_input, input, w->backward_weights, 0, rooms, err) ||
        !weights_bring(&w->learnt_gradient, output, w->backward_weights, 1, rooms, err))
        return false;
    return !w->backward_data ||
           (weights_bring(&w->data_gradient, output, w->backward_data, 0, rooms, err) &&
            weights_fetch(&w->data_result, input, w->backward_data, rooms, err));
}

bool layer_weights_make(struct layer_weights *w, const struct layer_state *state,
                        struct layer_context *context, struct error *err)
{
    const struct layer *layer = state->layer;

    w->weight = parameters_find(context->parameters, layer->name, "weight");
    assert(w->weight && w->weight->count == (size_t)layer->out_channels *
                                                (size_t)layer->in_channels *
                                                (size_t)(layer->kernel * layer->kernel));
    if (!make_operations(w, state, context, err))
        return false;
    if (context->layout == NET_BLOCKED && layer->kind == LAYER_CONV)
        state->output->shape = dnn_op_images(w->forward, 2, state->output->shape);
    if (!make_reorders(w, state, &context->rooms, err))
        return false;
    w->weights_forward = layer_memory(dnn_op_size(w->forward, 1), err);
    w->gradient = layer_memory(dnn_op_size(w->backward_weights, 2), err);
    if (w->backward_data)
        w->weights_backward = layer_memory(dnn_op_size(w->backward_data, 1), err);
    return w->weights_forward && w->gradient && (w->weights_backward || !w->backward_data);
}

void layer_weights_free(struct layer_weights *w)
{
    struct dnn_op *ops[] = {w->forward,      w->backward_data, w->backward_weights,
                            w->load_forward, w->load_backward, w->store_gradient};
    struct reorder *reorders[] = {&w->input,           &w->output,        &w->learnt_input,
                                  &w->learnt_gradient, &w->data_gradient, &w->data_result};

    for (size_t i = 0; i < COUNT(ops); i++)
        dnn_op_free(ops[i]);
    for (size_t i = 0; i < COUNT(reorders); i++)
        reorder_free(reorders[i]);
    free(w->weights_forward);
    free(w->weights_backward);
    free(w->gradient);
}

bool layer_weights_load(struct layer_weights *w, struct error *err)
{
    void *const to_forward[] = {w->weight->value, w->weights_forward};
    void *const to_backward[] = {w->weight->value, w->weights_backward};

    return dnn_op_run(w->load_forward, to_forward, err) &&
           (!w->load_backward || dnn_op_run(w->load_backward, to_backward, err));
}

bool layer_weights_forward(struct layer_weights *w, const struct layer_state *state, void *output,
                           struct error *err)
{
    void *const memory[] = {reorder_in(&w->input, state->input->value, err), w->weights_forward,
                            reorder_place(&w->output, output)};

    return memory[0] && dnn_op_run(w->forward, memory, err) &&
           reorder_out(&w->output, output, err);
}

static bool weights_learn(struct layer_weights *w, const struct layer_state *state,
                          void *output_gradient, struct error *err)
{
    void *const weights[] = {reorder_in(&w->learnt_input, state->input->value, err),
                             reorder_in(&w->learnt_gradient, output_gradient, err), w->gradient};
    void *const store[] = {w->gradient, w->weight->gradient};

    return weights[0] && weights[1] && dnn_op_run(w->backward_weights, weights, err) &&
           dnn_op_run(w->store_gradient, store, err);
}

bool layer_weights_backward(struct layer_weights *w, const struct layer_state *state,
                            void *output_gradient, struct error *err)
{
    void *place;

    if (!weights_learn(w, state, output_gradient, err))
        return false;
    if (!w->backward_data)
        return true;
    place = tensor_gradient_place(state->input);
    void *const data[] = {reorder_in(&w->data_gradient, output_gradient, err),
                          w->weights_backward, reorder_place(&w->data_result, place)};
    return data[0] && dnn_op_run(w->backward_data, data, err) &&
           reorder_out(&w->data_result, place, err) && tensor_gradient_placed(state->input, err);
}
