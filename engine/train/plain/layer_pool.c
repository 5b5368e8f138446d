#include "engine/train/plain/layer_pool.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "engine/train/onednn/dnn_make.h"
#include "engine/train/plain/layer_memory.h"

struct pool {
    struct dnn_op *forward, *backward;
    void *workspace; /* bytes as oneDNN asks for: each window's maximum; NULL of the mean */
};

static bool layer_pool_forward(struct layer_state *state, struct error *err)
{
    struct pool *pool = state->own;
    void *const memory[] = {state->input->value, state->output->value, pool->workspace};

    return dnn_op_run(pool->forward, memory, err);
}

static bool layer_pool_backward(struct layer_state *state, struct error *err)
{
    struct pool *pool = state->own;
    void *const memory[] = {state->output->gradient, tensor_gradient_place(state->input),
                            pool->workspace};

    return dnn_op_run(pool->backward, memory, err) && tensor_gradient_placed(state->input, err);
}

static void layer_pool_release(struct layer_state *state)
{
    struct pool *pool = state->own;

    dnn_op_free(pool->forward);
    dnn_op_free(pool->backward);
    free(pool->workspace);
    free(pool);
}

bool layer_pool_make(struct layer_state *state, struct layer_context *context, struct error *err)
{
    static const struct layer_kind_functions functions = {layer_pool_forward, layer_pool_backward,
                                                          NULL, layer_pool_release};
    const struct layer *layer = state->layer;
    struct dnn_pool shape = {.input = state->input->shape,
                             .output = state->output->shape,
                             .kernel = layer->kernel,
                             .stride = layer->stride,
                             .padding = layer->padding,
                             .mean = layer->kind == LAYER_MEAN_POOL};
    struct pool *pool = xcalloc(1, sizeof *pool);

    state->own = pool;
    state->functions = &functions;
    if (context->layout == NET_BLOCKED)
        shape.output.order = DNN_FREE; /* which is: as its input */
    pool->forward = dnn_pool(context->dnn, DNN_FORWARD, &shape, err);
    if (!pool->forward)
        return false;
    if (context->layout == NET_BLOCKED)
        state->output->shape = shape.output = dnn_op_images(pool->forward, 1, shape.output);
    pool->backward = dnn_pool(context->dnn, DNN_BACKWARD_DATA, &shape, err);
    if (!pool->backward)
        return false;
    if (dnn_op_size(pool->forward, 2) == 0)
        return true;
    pool->workspace = layer_memory(dnn_op_size(pool->forward, 2), err);
    return pool->workspace != NULL;
}
