/* Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/kinds.h"

#include "engine/train/layerwise/share.h"
#include "engine/train/networks/samples.h"
#include "engine/train/networks/tensor_init.h"

/* The mask is made again on the way back: that is cheaper than to keep it. */
static void dropout_drop(struct op *op, int thread, const float *from, float *to)
{
    const struct layerwise *net = op->net;
    const struct share share = share_elements(net, op->output->count, thread);
    uint64_t behind = (uint64_t)joiner_rank(net->joiner) * op->output->count; /* other ranks' */
    const struct element_drop element = {
        .from = from,
        .to = to,
        .start =
            tensor_init_start(op->node->name, net->seed, (unsigned long long)net->step) + behind,
        .keep_from = samples_keep_from(op->node->keep_out),
        .scale = (float)(1 / (1 - op->node->keep_out)),
        .begin = (size_t)share.begin,
        .end = (size_t)share.end};

    net->elements->drop(&element);
}

static void dropout_forward(struct op *op, int thread)
{
    dropout_drop(op, thread, op->input->value, op->output->value);
}

static void dropout_backward(struct op *op, int thread)
{
    dropout_drop(op, thread, op->output->gradient, op->input->gradient);
}

const struct op_functions dropout_functions = {NULL, dropout_forward, dropout_backward};
