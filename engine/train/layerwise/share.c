/* Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/share.h"

#include "engine/train/layerwise/memory.h"

struct share share_of(long count, long grain, int index, int of)
{
    long grains = (count + grain - 1) / grain;
    long begin = grains * index / of * grain, end = grains * (index + 1) / of * grain;

    return (struct share){begin < count ? begin : count, end < count ? end : count};
}

void operand_round(const struct layerwise *net, const float *values, struct share share,
                   void *operand)
{
    size_t count = (size_t)(share.end - share.begin);

    if (!net->rounds)
        return;
    if (net->type == DNN_BF16)
        net->elements->round(values + share.begin, count, (uint16_t *)operand + share.begin);
    else
        net->elements->round_floats(values + share.begin, count, (float *)operand + share.begin);
}

void *operand_take(struct layerwise *net, float *values, size_t count, struct error *err)
{
    return net->rounds ? layerwise_take(net, count * dnn_type_size(net->type), err) : values;
}

void finish_operand(const struct layerwise *net, const struct tensor *tensor, long index,
                    struct element_finish *finish)
{
    void *operand = NULL;

    if (net->rounds && tensor->wants_operand)
        operand = operand_at(net, tensor->operand, index);
    finish->rounded = net->type == DNN_BF16 ? operand : NULL;
    finish->rounded_floats = net->type == DNN_F32 ? operand : NULL;
}
