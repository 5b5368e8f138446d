/* Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/conv_winograd_back.h"

#include "common/order.h"
#include "engine/train/kernels/conv/conv_winograd.h"
#include "engine/train/layerwise/memory.h"

struct winograd {
    struct conv_shape shape;            /* backward, where it matters */
    const struct conv_kernel *to_input; /* NULL: nothing wants that gradient */
    const struct winograd_gradient *to_weight;
    void *panels;
    void **scratch;       /* (threads) */
    const float **copies; /* (threads): the sums of each */
};

static struct conv_shape shape_of(const struct op *op)
{
    return (struct conv_shape){.direction = CONV_BACKWARD_DATA,
                               .in_size = op->node->in.height,
                               .out_size = op->node->out.height,
                               .in_channels = op->node->in.columns,
                               .out_channels = op->node->columns,
                               .kernel = op->node->kernel,
                               .stride = 1};
}

static void find_kernels(const struct op *op, struct winograd *ret_winograd)
{
    const struct conv_shape shape = shape_of(op);

    ret_winograd->shape = shape;
    ret_winograd->to_weight = winograd_gradient_for(op->net->isa, DNN_F32, &shape);
    if (op->to_input)
        ret_winograd->to_input = conv_winograd_for(op->net->isa, DNN_F32, &shape);
}

bool conv_fits_winograd(const struct op *op, const struct conv *conv)
{
    struct winograd winograd = {0};

    if (op->net->type != DNN_F32 || conv->size != sizeof(float) || conv->by_windows ||
        op->node->in.height != op->node->in.width)
        return false;
    find_kernels(op, &winograd);
    return winograd.to_weight && (winograd.to_input || !op->to_input);
}

static size_t winograd_weight_bytes(const struct op *op)
{
    struct winograd winograd = {0};

    find_kernels(op, &winograd);
    return winograd.to_weight->sums_size(&winograd.shape);
}

static bool make_panels(struct op *op, struct winograd *own, struct error *err)
{
    if (own->to_input)
        own->panels = layerwise_take(op->net, own->to_input->panels_size(&own->shape), err);
    return own->panels || !own->to_input;
}

static bool winograd_make(struct op *op, struct error *err)
{
    struct conv *conv = op->own;
    struct winograd *own = conv->back_own = layerwise_take(op->net, sizeof *own, err);
    size_t threads = (size_t)op->net->threads, bytes, most;

    if (!own)
        return false;
    find_kernels(op, own);
    most = own->to_weight->scratch_size(&own->shape);
    bytes = own->to_input ? own->to_input->scratch_size(&own->shape, 1) : 0;
    most = larger_size(most, bytes);
    own->scratch = layerwise_take(op->net, threads * sizeof *own->scratch, err);
    own->copies = layerwise_take(op->net, threads * sizeof *own->copies, err);
    if (!own->scratch || !own->copies || !make_panels(op, own, err))
        return false;
    for (size_t i = 0; i < threads; i++) {
        own->copies[i] = conv->rooms[i].weight;
        own->scratch[i] = layerwise_take(op->net, most, err);
        if (!own->scratch[i])
            return false;
    }
    return true;
}

static void winograd_pack(struct op *op, int thread)
{
    const struct conv *conv = op->own;
    const struct winograd *own = conv->back_own;
    const struct conv_weights weights = {
        .values = operand_of_parameter(op, 0),
        .strides = {conv->seen * conv->taps, conv->taps, op->node->kernel, 1}};

    if (own->to_input)
        own->to_input->pack(&own->shape, &weights, thread, op->net->threads, own->panels);
}

static void winograd_to_weight(const struct op *op, long image, int thread)
{
    const struct conv *conv = op->own;
    const struct winograd *own = conv->back_own;
    long first = op->node->padding * (conv->pitch + 1) * conv->channels;
    const struct winograd_gradient_call call = {
        .images = 1,
        .input = conv_grid_at(conv, conv_input_at(op, image), first),
        .pitch = conv->pitch,
        .gradient = conv->rooms[thread].gradient,
        .sums = conv->rooms[thread].weight,
        .scratch = own->scratch[thread]};

    own->to_weight->add(&own->shape, &call);
}

static void winograd_to_input(const struct op *op, float *result, int thread)
{
    const struct conv *conv = op->own;
    const struct winograd *own = conv->back_own;
    const struct conv_call call = {.images = 1,
                                   .input = conv->rooms[thread].gradient,
                                   .panels = own->panels,
                                   .scratch = own->scratch[thread],
                                   .end = {.kind = CONV_PLAIN, .result = result}};

    own->to_input->run(&own->shape, &call);
}

static void winograd_sum(struct op *op, int thread)
{
    const struct conv *conv = op->own;
    const struct winograd *own = conv->back_own;
    const struct winograd_gradient_sums sums = {own->copies, op->net->threads};
    const struct winograd_gradient_result result = {
        .values = gradient_of_parameter(op, 0),
        .strides = {conv->seen * conv->taps, conv->taps, op->node->kernel, 1}};

    own->to_weight->finish(&own->shape, &sums, thread, sums.count, &result);
}

const struct conv_way conv_back_by_winograd = {.make = winograd_make,
                                               .pack = winograd_pack,
                                               .to_weight = winograd_to_weight,
                                               .to_input = winograd_to_input,
                                               .sum = winograd_sum,
                                               .weight_bytes = winograd_weight_bytes,
                                               .dense = true};
