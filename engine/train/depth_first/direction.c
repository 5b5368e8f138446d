/* Tested by tests/engine/train/depth_first/filter_test.c. */
#include "engine/train/depth_first/direction.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "engine/train/kernels/conv/conv.h"
#include "engine/train/onednn/dnn_make.h"

#include <assert.h>

/* round_weights() stores floats as bf16: two bytes. */
_Static_assert(sizeof(uint16_t) * 2 == sizeof(float), "a bf16 number is half a float");

struct direction {
    struct direction_context context;
    const struct conv_kernel *kernel;  /* or NULL */
    struct dnn_op *ops[FILTER_COUNTS]; /* (shape->count_kinds) of the library, without a kernel */
    struct dnn_op *reorder;            /* to their layout, without a kernel */
    void *weights;                     /* in their layout, without a kernel */
    void *panels;                      /* the kernel's, borrowed */
};

/* All operations share one copy of the weights, so the first decides on its layout. */
static bool make_ops(struct direction *direction, struct error *err)
{
    const struct filter_shape *shape = direction->context.shape;
    enum dnn_pass pass =
        direction->context.direction == CONV_FORWARD ? DNN_FORWARD : DNN_BACKWARD_DATA;

    for (int i = 0; i < shape->count_kinds; i++) {
        const struct dnn_convolution chunk = filter_chunk(shape, shape->counts[i]);

        direction->ops[i] = dnn_convolution(direction->context.dnn, pass, &chunk,
                                            i > 0 ? direction->ops[0] : NULL, err);
        if (!direction->ops[i])
            return false;
    }
    return true;
}

static bool direction_build(struct direction *direction, struct error *err)
{
    const struct filter_shape *shape = direction->context.shape;

    direction->kernel = shape->kernels[direction->context.direction];
    if (direction->kernel) {
        assert(direction_packed_size(direction) > 0);
        return true;
    }
    if (!make_ops(direction, err))
        return false;
    direction->weights = filter_memory(dnn_op_size(direction->ops[0], 1));
    if (!direction->weights)
        return error_set(err, ERROR_INTERNAL, NULL, "no memory for the weights of %s",
                         shape->layer->name);
    return true;
}

struct direction *direction_new(const struct direction_context *context, struct error *err)
{
    struct direction *direction = xcalloc(1, sizeof *direction);

    direction->context = *context;
    if (!direction_build(direction, err)) {
        direction_free(direction);
        return NULL;
    }
    return direction;
}

void direction_free(struct direction *direction)
{
    if (!direction)
        return;
    for (int i = 0; i < FILTER_COUNTS; i++)
        dnn_op_free(direction->ops[i]);
    dnn_op_free(direction->reorder);
    free(direction->weights);
    free(direction);
}

bool direction_by_library(const struct direction *direction)
{
    return !direction->kernel;
}

bool direction_layout(struct direction *direction, const struct dnn_layout *own,
                      struct error *err)
{
    const struct filter_shape *shape = direction->context.shape;
    const struct dnn_convolution chunk = filter_chunk(shape, shape->counts[0]);
    const struct dnn_layout wanted = {.of = direction->ops[0]};

    assert(!direction->kernel && !direction->reorder);
    direction->reorder = dnn_weight_reorder(direction->context.dnn, &chunk, *own, wanted, err);
    return direction->reorder != NULL;
}

/* Rounds weights to bf16: emulation computes in f32, but on the same numbers as bf16 does. */
static void round_weights(const struct passes *passes, float *weights, size_t count)
{
    uint16_t rounded[1024];

    for (size_t at = 0; at < count; at += COUNT(rounded)) {
        size_t some = count - at < COUNT(rounded) ? count - at : COUNT(rounded);

        passes->from_floats(weights + at, some, rounded);
        passes->to_floats(rounded, some, weights + at);
    }
}

bool direction_load(struct direction *direction, int lane, void *own, struct error *err)
{
    const struct filter_shape *shape = direction->context.shape;
    void *const memory[] = {own, direction->weights};

    assert(!direction->kernel);
    if (!dnn_op_run_on(direction->reorder, lane, memory, err))
        return false;
    if (shape->emulated)
        round_weights(direction->context.passes, direction->weights,
                      dnn_op_size(direction->reorder, 1) / sizeof(float));
    return true;
}

size_t direction_packed_size(const struct direction *direction)
{
    const struct direction_context *context = &direction->context;
    const struct conv_shape conv = filter_conv(context->shape, context->direction);

    if (!direction->kernel)
        return 0;
    assert(conv_supports(direction->kernel, &conv));
    return direction->kernel->panels_size(&conv);
}

void direction_place(struct direction *direction, void *memory)
{
    assert(direction->kernel && (uintptr_t)memory % 64 == 0);
    direction->panels = memory;
}

void direction_pack(struct direction *direction, const struct conv_weights *strided, int index,
                    int of)
{
    const struct direction_context *context = &direction->context;
    const struct conv_shape conv = filter_conv(context->shape, context->direction);

    assert(direction->panels);
    direction->kernel->pack(&conv, strided, index, of, direction->panels);
}

/* Numbers that a chunk reads in this direction, and that it writes. */
static size_t read_count(const struct direction *direction, long units)
{
    const struct filter_shape *shape = direction->context.shape;

    return direction->context.direction == CONV_FORWARD ? filter_input_count(shape, units)
                                                        : filter_output_count(shape, units);
}

static size_t written_count(const struct direction *direction, long units)
{
    const struct filter_shape *shape = direction->context.shape;

    return direction->context.direction == CONV_FORWARD ? filter_output_count(shape, units)
                                                        : filter_input_count(shape, units);
}

/* The library's: a result that is not the end's, and both sides of a chunk in f32 where it is
 * emulated. */
size_t direction_scratch(const struct direction *direction)
{
    const struct filter_shape *shape = direction->context.shape;
    const struct conv_shape conv = filter_conv(shape, direction->context.direction);
    size_t most = 0;

    for (int i = 0; i < shape->count_kinds; i++) {
        long units = shape->counts[i];
        size_t written = written_count(direction, units), bytes;

        if (direction->kernel)
            bytes = direction->kernel->scratch_size(&conv, filter_conv_images(shape, units));
        else
            bytes = written * dnn_type_size(shape->type) + 64;
        if (shape->emulated)
            bytes += (read_count(direction, units) + written + 32) * sizeof(float);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* The library's operation from `input` to `result`, both stored. */
static bool direction_operate(struct direction *direction, const struct filter_call *call,
                              void *input, void *result, float *scratch, struct error *err)
{
    const struct filter_shape *shape = direction->context.shape;
    const struct passes *passes = direction->context.passes;
    struct dnn_op *op = direction->ops[filter_count_of(shape, call->units)];
    void *memory[] = {input, direction->weights, result};
    size_t read = read_count(direction, call->units);
    size_t written = written_count(direction, call->units);

    if (!shape->emulated)
        return dnn_op_run_on(op, call->lane, memory, err);
    memory[0] = filter_room(read, &scratch);
    memory[2] = filter_room(written, &scratch);
    passes->to_floats(input, read, memory[0]);
    if (!dnn_op_run_on(op, call->lane, memory, err))
        return false;
    passes->from_floats(memory[2], written, result);
    return true;
}

void direction_end(const struct passes *passes, const struct conv_end *end, struct rows rows,
                   const void *result)
{
    const struct pass_mask mask = {.gradient = result,
                                   .add = end->kind == CONV_INNER ? NULL : end->add,
                                   .active = end->active,
                                   .result = end->result,
                                   .values = end->values,
                                   .other_values =
                                       end->kind == CONV_OTHER ? end->other_values : NULL,
                                   .mean = end->mean,
                                   .other_mean = end->other_mean};

    if (end->kind == CONV_SUMS)
        passes->statistics(result, rows, end->sums);
    else if (end->kind != CONV_PLAIN)
        passes->mask(&mask, rows, end->sums);
}

static bool run_library(struct direction *direction, const struct filter_call *call, void *input,
                        const struct conv_end *end, struct error *err)
{
    const struct filter_shape *shape = direction->context.shape;
    bool forward = direction->context.direction == CONV_FORWARD;
    long channels = forward ? shape->layer->out_channels : shape->layer->in_channels;
    size_t written = written_count(direction, call->units);
    const struct rows rows = {(long)written / channels, channels};
    float *scratch = call->scratch;
    void *result = end->result;

    if (end->kind >= CONV_INNER)
        result = filter_room((written * dnn_type_size(shape->type) + 3) / 4, &scratch);
    if (!direction_operate(direction, call, input, result, scratch, err))
        return false;
    direction_end(direction->context.passes, end, rows, result);
    return true;
}

bool direction_run(struct direction *direction, const struct filter_call *call, void *input,
                   const struct conv_end *end, struct error *err)
{
    const struct filter_shape *shape = direction->context.shape;
    struct conv_shape conv;
    struct conv_call work;

    assert(input && end->result && filter_count_of(shape, call->units) >= 0);
    if (!direction->kernel)
        return run_library(direction, call, input, end, err);
    conv = filter_conv(shape, direction->context.direction);
    work = (struct conv_call){.images = filter_conv_images(shape, call->units),
                              .input = input,
                              .panels = direction->panels,
                              .scratch = call->scratch,
                              .end = *end,
                              .past_cache = call->past_cache};
    direction->kernel->run(&conv, &work);
    return true;
}

const char *direction_name(const struct direction *direction)
{
    return direction->kernel ? direction->kernel->name : dnn_op_name(direction->ops[0]);
}
