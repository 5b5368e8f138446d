/* Tested by tests/engine/train/depth_first/filter_test.c. */
#include "engine/train/depth_first/filter_shape.h"

#include "engine/train/kernels/conv/conv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Winograd's kernels serve images of at least so many pixels a side. They read four times the
 * weights, which costs more than it saves where layers have many channels and few pixels: sooner
 * in gradients, whose sums are written as well, and in bf16, whose direct kernels multiply twice
 * as fast. */
static const struct {
    long conv, gradient;
} winograd_sizes[] = {[DNN_F32] = {1, 14}, [DNN_BF16] = {14, 28}};

struct dnn_convolution filter_chunk(const struct filter_shape *shape, long units)
{
    const struct layer *layer = shape->layer;
    enum dnn_type type = shape->emulated ? DNN_F32 : shape->type;
    long images = shape->parts > 1 ? 1 : units;
    long in_height = shape->parts > 1 ? layer->in_size / shape->parts * units : layer->in_size;
    long out_height = shape->parts > 1 ? layer->out_size / shape->parts * units : layer->out_size;

    return (struct dnn_convolution){
        .input = {images, layer->in_channels, in_height, layer->in_size, type, DNN_NHWC, NULL},
        .output = {images, layer->out_channels, out_height, layer->out_size, type, DNN_NHWC,
                   NULL},
        .kernel = layer->kernel,
        .stride = layer->stride,
        .padding = layer->padding};
}

struct wgrad_shape filter_wgrad(const struct filter_shape *shape, long units)
{
    const struct dnn_convolution chunk = filter_chunk(shape, units);
    const struct dnn_images *in = &chunk.input, *out = &chunk.output;

    return (struct wgrad_shape){.type = in->type,
                                .images = in->batch,
                                .in_size = in->width,
                                .out_size = out->width,
                                .pixels = in->batch * in->height * in->width,
                                .in_channels = in->channels,
                                .out_channels = out->channels,
                                .kernel = chunk.kernel,
                                .stride = chunk.stride};
}

/* A 1x1 kernel sees one pixel at a time. */
static bool is_flat(const struct filter_shape *shape)
{
    return shape->layer->kernel == 1 && shape->layer->stride == 1;
}

struct conv_shape filter_conv(const struct filter_shape *shape, enum conv_direction direction)
{
    const struct layer *layer = shape->layer;

    return (struct conv_shape){.direction = direction,
                               .in_size = is_flat(shape) ? 1 : layer->in_size,
                               .out_size = is_flat(shape) ? 1 : layer->out_size,
                               .in_channels = layer->in_channels,
                               .out_channels = layer->out_channels,
                               .kernel = layer->kernel,
                               .stride = layer->stride};
}

long filter_conv_images(const struct filter_shape *shape, long units)
{
    long size = shape->layer->in_size;

    return is_flat(shape) ? units * (size * size / shape->parts) : units;
}

bool filter_can_by_hand(const struct layer *layer, enum dnn_type type, enum wgrad_kind kind,
                        enum cpu_isa isa)
{
    const struct filter_shape shape = {.layer = layer, .type = type, .parts = 1};
    const struct wgrad_shape hand = filter_wgrad(&shape, 1);

    return wgrad_supports(kind, &hand, isa);
}

/* Tiles of AMX multiply bf16 so fast that Winograd's f32 products are slower. */
static bool tiles_are_faster(const struct filter_shape *shape, enum cpu_isa isa)
{
    return shape->type == DNN_BF16 && isa >= CPU_AMX;
}

static const struct conv_kernel *kernel_for(const struct filter_shape *shape,
                                            enum conv_direction direction, enum cpu_isa isa)
{
    const struct conv_shape conv = filter_conv(shape, direction);
    const struct conv_kernel *winograd = NULL;

    if (!tiles_are_faster(shape, isa) &&
        shape->layer->in_size >= winograd_sizes[shape->type].conv)
        winograd = conv_winograd_for(isa, shape->type, &conv);
    return winograd ? winograd : conv_kernel_for(isa, shape->type, &conv);
}

void filter_choose(struct filter_shape *shape, enum wgrad_kind hand, enum cpu_isa isa)
{
    const struct conv_shape conv = filter_conv(shape, CONV_FORWARD);

    assert(!shape->emulated);
    shape->hand = hand;
    shape->kernels[CONV_FORWARD] = kernel_for(shape, CONV_FORWARD, isa);
    if (!tiles_are_faster(shape, isa) &&
        shape->layer->in_size >= winograd_sizes[shape->type].gradient)
        shape->winograd = winograd_gradient_for(isa, shape->type, &conv);
    shape->by_hand = !shape->winograd && hand != WGRAD_PORTABLE &&
                     filter_can_by_hand(shape->layer, shape->type, hand, isa);
    if (shape->layer->input >= 0)
        shape->kernels[CONV_BACKWARD_DATA] = kernel_for(shape, CONV_BACKWARD_DATA, isa);
}

int filter_count_of(const struct filter_shape *shape, long units)
{
    int i = 0;

    while (i < shape->count_kinds && shape->counts[i] != units)
        i++;
    assert(i < shape->count_kinds); /* filter_shape.counts has every size of a call */
    return i;
}

static size_t count_of(const struct dnn_images *images)
{
    return dnn_images_bytes(images) / dnn_type_size(images->type);
}

size_t filter_input_count(const struct filter_shape *shape, long units)
{
    const struct dnn_convolution chunk = filter_chunk(shape, units);

    return count_of(&chunk.input);
}

size_t filter_output_count(const struct filter_shape *shape, long units)
{
    const struct dnn_convolution chunk = filter_chunk(shape, units);

    return count_of(&chunk.output);
}

float *filter_room(size_t count, float **scratch)
{
    float *room = *scratch;

    *scratch += (count + 15) & ~(size_t)15;
    return room;
}

void *filter_memory(size_t size)
{
    size_t room = (size + 63) & ~(size_t)63;
    void *memory = size ? aligned_alloc(64, room) : NULL;

    return memory ? memset(memory, 0, room) : NULL;
}
