#include "engine/train/weighted.h"

#include "common/cleanup.h"

static bool make_operations(struct weighted *w, const struct layer_state *state, struct dnn *dnn,
                            struct error *err)
{
    const struct layer *layer = state->layer;
    const struct dnn_convolution shape = {.input = state->input->shape,
                                          .output = state->output->shape,
                                          .kernel = layer->kernel,
                                          .stride = layer->stride,
                                          .padding = layer->padding};
    const struct dnn_layout plain = {0};

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

bool weighted_make(struct weighted *w, const struct layer_state *state,
                   struct layer_context *context, struct error *err)
{
    w->weight = parameters_find(context->parameters, state->layer->name, "weight");
    if (!make_operations(w, state, context->dnn, err))
        return false;
    w->weights_forward = layer_memory(dnn_op_size(w->forward, 1), err);
    w->gradient = layer_memory(dnn_op_size(w->backward_weights, 2), err);
    if (w->backward_data)
        w->weights_backward = layer_memory(dnn_op_size(w->backward_data, 1), err);
    return w->weights_forward && w->gradient && (w->weights_backward || !w->backward_data);
}

void weighted_free(struct weighted *w)
{
    struct dnn_op *ops[] = {w->forward,      w->backward_data, w->backward_weights,
                            w->load_forward, w->load_backward, w->store_gradient};

    for (size_t i = 0; i < COUNT(ops); i++)
        dnn_op_free(ops[i]);
    free(w->weights_forward);
    free(w->weights_backward);
    free(w->gradient);
}

bool weighted_load(struct weighted *w, struct error *err)
{
    void *const to_forward[] = {w->weight->value, w->weights_forward};
    void *const to_backward[] = {w->weight->value, w->weights_backward};

    return dnn_op_run(w->load_forward, to_forward, err) &&
           (!w->load_backward || dnn_op_run(w->load_backward, to_backward, err));
}

bool weighted_forward(struct weighted *w, const struct layer_state *state, void *output,
                      struct error *err)
{
    void *const memory[] = {state->input->value, w->weights_forward, output};

    return dnn_op_run(w->forward, memory, err);
}

bool weighted_backward(struct weighted *w, const struct layer_state *state, void *output_gradient,
                       struct error *err)
{
    void *const weights[] = {state->input->value, output_gradient, w->gradient};
    void *const store[] = {w->gradient, w->weight->gradient};

    if (!dnn_op_run(w->backward_weights, weights, err) ||
        !dnn_op_run(w->store_gradient, store, err))
        return false;
    if (!w->backward_data)
        return true;
    void *const data[] = {output_gradient, w->weights_backward,
                          tensor_gradient_place(state->input)};
    return dnn_op_run(w->backward_data, data, err) && tensor_gradient_placed(state->input, err);
}
