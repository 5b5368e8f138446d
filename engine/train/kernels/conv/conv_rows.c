/* Tested by tests/engine/train/kernels/conv/conv_test.c. */
#include "engine/train/kernels/conv/conv_rows.h"

#include <assert.h>
#include <string.h>

#define STEM_KERNEL 7
#define STEM_CHANNELS 3
#define STEM_PADDING 3

long conv_k(const struct conv_shape *shape)
{
    return shape->direction == CONV_FORWARD ? shape->in_channels : shape->out_channels;
}

long conv_n(const struct conv_shape *shape)
{
    return shape->direction == CONV_FORWARD ? shape->out_channels : shape->in_channels;
}

bool conv_is_stem(const struct conv_shape *shape)
{
    return shape->kernel == STEM_KERNEL && shape->in_channels == STEM_CHANNELS &&
           shape->stride == 2 && shape->direction == CONV_FORWARD;
}

long conv_depth(const struct conv_shape *shape)
{
    return conv_is_stem(shape) ? STEM_KERNEL * STEM_CHANNELS : conv_k(shape);
}

struct conv_tap_weights conv_tap_weights(const struct conv_shape *shape,
                                         const struct conv_weights *weights,
                                         const struct conv_tap *tap)
{
    const long *strides = weights->strides;
    const float *from = weights->values + tap->h * strides[2] + tap->w * strides[3];

    if (shape->direction == CONV_FORWARD)
        return (struct conv_tap_weights){from, strides[0], strides[1]};
    return (struct conv_tap_weights){from, strides[1], strides[0]};
}

/* Number k of a row of the first layer's kernel: channel k % 3 of column k / 3. */
static void copy_stem(const struct conv_weights *weights, const struct conv_tap *tap,
                      const struct conv_part *part, float *ret_weights)
{
    const long *strides = weights->strides;

    for (long k = part->k; k < part->k + part->k_count; k++)
        for (long n = part->n; n < part->n + part->n_count; n++)
            *ret_weights++ =
                k < STEM_KERNEL * STEM_CHANNELS
                    ? weights->values[n * strides[0] + k % STEM_CHANNELS * strides[1] +
                                      tap->h * strides[2] + k / STEM_CHANNELS * strides[3]]
                    : 0;
}

void conv_copy_weights(const struct conv_shape *shape, const struct conv_weights *weights,
                       const struct conv_tap *tap, const struct conv_part *part,
                       float *ret_weights)
{
    struct conv_tap_weights of = conv_tap_weights(shape, weights, tap);
    const float *from = of.from + part->n * of.n_step + part->k * of.k_step;

    if (conv_is_stem(shape)) {
        copy_stem(weights, tap, part, ret_weights);
        return;
    }
    if (of.n_step == 1) {
        for (long k = 0; k < part->k_count; k++)
            memcpy(ret_weights + k * part->n_count, from + k * of.k_step,
                   (size_t)part->n_count * sizeof *from);
        return;
    }
    /* Whole lines are read, where neighbours are numbers of one channel. */
    for (long n = 0; n < part->n_count; n++)
        for (long k = 0; k < part->k_count; k++)
            ret_weights[k * part->n_count + n] = from[n * of.n_step + k * of.k_step];
}

/* Taps are rows of the kernel, and read the padded image. */
static void stem_class(const struct conv_shape *shape, struct conv_class *ret_class)
{
    *ret_class = (struct conv_class){
        .taps = STEM_KERNEL,
        .scale = shape->stride,
        .source_size = shape->in_size + 2 * STEM_PADDING,
        .height = shape->out_size,
        .width = shape->out_size,
        .result_size = shape->out_size,
        .step = 1,
    };
    for (int h = 0; h < STEM_KERNEL; h++)
        ret_class->tap[h] = (struct conv_tap){.h = h, .down = h};
}

static void forward_class(const struct conv_shape *shape, struct conv_class *ret_class)
{
    int kernel = (int)shape->kernel, padding = (kernel - 1) / 2;

    *ret_class = (struct conv_class){
        .scale = shape->stride,
        .source_size = shape->in_size,
        .height = shape->out_size,
        .width = shape->out_size,
        .result_size = shape->out_size,
        .step = 1,
    };
    for (int h = 0; h < kernel; h++)
        for (int w = 0; w < kernel; w++)
            ret_class->tap[ret_class->taps++] = (struct conv_tap){h, w, h - padding, w - padding};
}

/* The input pixels that lie `down` and `right` of a multiple of the stride. The output pixel at
 * (y, x) sees the input at y * stride + h - padding: where that is y', y is
 * (y' + padding - h) / stride, if there is such a y. */
static void backward_class(const struct conv_shape *shape, int down, int right,
                           struct conv_class *ret_class)
{
    int kernel = (int)shape->kernel, padding = (kernel - 1) / 2, stride = (int)shape->stride;

    *ret_class = (struct conv_class){
        .scale = 1,
        .source_size = shape->out_size,
        .height = (shape->in_size - down + stride - 1) / stride,
        .width = (shape->in_size - right + stride - 1) / stride,
        .result_size = shape->in_size,
        .step = stride,
        .first_row = down,
        .first_column = right,
    };
    for (int h = 0; h < kernel; h++)
        for (int w = 0; w < kernel; w++) {
            int y = down + padding - h, x = right + padding - w;

            if (y % stride == 0 && x % stride == 0)
                ret_class->tap[ret_class->taps++] =
                    (struct conv_tap){h, w, y / stride, x / stride};
        }
}

int conv_classes(const struct conv_shape *shape, struct conv_class ret_classes[CONV_CLASSES_MAX])
{
    int stride = (int)shape->stride;

    if (conv_is_stem(shape))
        stem_class(shape, ret_classes);
    else if (shape->direction == CONV_FORWARD)
        forward_class(shape, ret_classes);
    else
        for (int i = 0; i < stride * stride; i++)
            backward_class(shape, i / stride, i % stride, &ret_classes[i]);
    return shape->direction == CONV_FORWARD ? 1 : stride * stride;
}

static const char *row_of(const struct conv_class *class, const struct conv_source *source,
                          const struct conv_cursor *at, const struct conv_tap *tap)
{
    long y = at->y * class->scale + tap->down, x = at->x * class->scale + tap->right;

    if (y < 0 || y >= class->source_size || x < 0 || x >= class->source_size)
        return source->zeros;
    return source->base + at->image * source->image_bytes +
           (y * class->source_size + x) * source->pixel_bytes;
}

static void conv_rows_advance(const struct conv_class *class, struct conv_cursor *cursor)
{
    if (++cursor->x < class->width)
        return;
    cursor->x = 0;
    if (++cursor->y < class->height)
        return;
    cursor->y = 0;
    cursor->image++;
}

void conv_group_fill(const struct conv_class *class, const struct conv_source *source,
                     long images, long most, struct conv_cursor *cursor,
                     struct conv_group *ret_group)
{
    long count = 0;

    assert(most > 0 && most <= CONV_GROUP);
    for (; count < most && cursor->image < images; count++, conv_rows_advance(class, cursor)) {
        for (int t = 0; t < class->taps; t++)
            ret_group->rows[t][count] = row_of(class, source, cursor, &class->tap[t]);
        ret_group->result[count] =
            (cursor->image * class->result_size + cursor->y * class->step + class->first_row) *
                class->result_size +
            cursor->x * class->step + class->first_column;
    }
    ret_group->count = count;
    for (int t = 0; t < class->taps && count > 0; t++)
        for (long i = count; i < most; i++)
            ret_group->rows[t][i] = ret_group->rows[t][count - 1];
}

struct conv_ahead conv_ahead_of(const struct conv_source *source, const struct conv_group *group,
                                const long panel[2], long n)
{
    long channel = panel[0], width = panel[1], share = source->pixel_bytes * width / n;
    bool last = channel + width >= n;

    return (struct conv_ahead){
        .input = group->count * source->pixel_bytes + channel / width * share,
        .input_bytes = share,
        .result = last ? group->count : 0,
        .lane = last ? 0 : channel + width,
    };
}

size_t conv_stem_bytes(const struct conv_shape *shape, size_t number_size)
{
    size_t size = (size_t)shape->in_size + 2 * STEM_PADDING;

    return size * size * STEM_CHANNELS * number_size + CONV_STEM_SLACK;
}

void conv_stem_fill(const struct conv_shape *shape, const void *image, size_t number_size,
                    void *ret_padded)
{
    size_t pixel = STEM_CHANNELS * number_size, row = (size_t)shape->in_size * pixel;
    size_t pitch = row + 2 * STEM_PADDING * pixel;
    const char *from = image;
    char *to = ret_padded;

    memset(to, 0, STEM_PADDING * pitch + STEM_PADDING * pixel);
    to += STEM_PADDING * pitch + STEM_PADDING * pixel;
    for (long y = 0; y < shape->in_size; y++, from += row, to += pitch) {
        memcpy(to, from, row);
        memset(to + row, 0, 2 * STEM_PADDING * pixel);
    }
    memset(to, 0, STEM_PADDING * pitch - STEM_PADDING * pixel + CONV_STEM_SLACK);
}
