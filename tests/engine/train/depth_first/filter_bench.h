/* A convolution's filter with all that it needs, and the definition of what it computes, in f64.
 */
#pragma once

#include "engine/train/depth_first/filter.h"
#include "tests/engine/train/noise.h"
#include "tests/test.h"

#include <math.h>

#define MOST 20480 /* numbers in a tensor */
#define CHANNELS 32

enum mode { F32, EMULATED, BY_HAND, F32_BY_HAND };

static const struct {
    const char *name;
    enum dnn_type type;
    enum cpu_isa needs;
} modes[] = {[F32] = {"f32", DNN_F32, CPU_BASE},
             [EMULATED] = {"emulated bf16", DNN_BF16, CPU_BASE},
             [BY_HAND] = {"bf16 by hand", DNN_BF16, CPU_AVX512},
             [F32_BY_HAND] = {"f32 by hand", DNN_F32, CPU_BASE}};

struct setting {
    enum mode mode;
    struct layer layer;
    long parts, counts[3];
};

struct bench {
    struct setting setting;
    struct dnn *dnn;
    const struct passes *passes;
    struct parameters parameters;
    struct parameter *weight;
    struct filter *filter;
    void *packed[FILTER_DIRECTIONS]; /* or NULL */
    bool by_hand;                    /* our kernel computes the gradient of the weights */
};

static float input[MOST], gradient[MOST], weights[MOST];
static double wanted[MOST], magnitude[MOST];

static inline struct layer layer_of(int in, int out, int kernel, int stride, int size)
{
    return (struct layer){.kind = LAYER_CONV,
                          .name = "conv",
                          .norm = "norm",
                          .in_channels = in,
                          .out_channels = out,
                          .kernel = kernel,
                          .stride = stride,
                          .padding = (kernel - 1) / 2,
                          .in_size = size,
                          .out_size = (size + stride - 1) / stride};
}

static inline bool learns_by_hand(const struct setting *s)
{
    return filter_can_by_hand(&s->layer, modes[s->mode].type, WGRAD_PORTABLE, CPU_BASE);
}

static inline struct filter *make(struct bench *b, struct error *err)
{
    const struct filter_context context = {.dnn = b->dnn,
                                           .passes = b->passes,
                                           .parameters = &b->parameters,
                                           .keep_gradients = true,
                                           .momentum = true};
    struct filter_shape shape = {.layer = &b->setting.layer,
                                 .type = modes[b->setting.mode].type,
                                 .emulated = b->setting.mode == EMULATED,
                                 .parts = b->setting.parts};

    if (b->setting.mode >= BY_HAND)
        filter_choose(&shape, WGRAD_PORTABLE, CPU_BASE); /* no plan asks for the portable one */
    shape.by_hand = b->by_hand =
        b->setting.mode >= BY_HAND && !shape.winograd && learns_by_hand(&b->setting);
    while (shape.count_kinds < 3 && b->setting.counts[shape.count_kinds] > 0) {
        shape.counts[shape.count_kinds] = b->setting.counts[shape.count_kinds];
        shape.count_kinds++;
    }
    return filter_new(&context, &shape, err);
}

/* Three parts, as of three threads. */
static inline void pack(struct bench *b)
{
    for (enum conv_direction i = CONV_FORWARD; i <= CONV_BACKWARD_DATA; i++)
        for (int part = 0; part < 3 && b->packed[i]; part++)
            filter_pack(b->filter, i, part, 3);
}

static inline void make_and_pack(struct bench *b)
{
    b->filter = make(b, NULL);
    EXPECT(b->filter != NULL);
    for (enum conv_direction i = CONV_FORWARD; i <= CONV_BACKWARD_DATA; i++) {
        size_t size = filter_packed_size(b->filter, i);

        if (size == 0)
            continue;
        b->packed[i] = aligned_alloc(64, (size + 63) / 64 * 64);
        if (!b->packed[i])
            abort();
        memset(b->packed[i], 0xff, size); /* no numbers */
        filter_place(b->filter, i, b->packed[i]);
    }
    pack(b);
}

static inline void bench_open(struct bench *b, const struct setting *setting)
{
    struct network network = {.count = 1, .layers = {setting->layer}};

    *b = (struct bench){.setting = *setting, .dnn = dnn_open(1, NULL)};
    b->passes = passes_for(cpu_probe(), modes[setting->mode].type);
    EXPECT(parameters_make(&b->parameters, &network, 5, NULL));
    b->weight = parameters_find(&b->parameters, "conv", "weight");
}

static inline void bench_close(struct bench *b)
{
    filter_free(b->filter);
    for (int i = 0; i < FILTER_DIRECTIONS; i++)
        free(b->packed[i]);
    dnn_close(b->dnn);
    parameters_free(&b->parameters);
}

/* Numbers as the filter stores them; `values` become what can be stored. */
static inline void store(const struct bench *b, float *values, size_t count, void *ret_stored)
{
    b->passes->from_floats(values, count, ret_stored);
    b->passes->to_floats(ret_stored, count, values);
}

static inline size_t in_numbers(const struct bench *b, long units)
{
    const struct layer *l = &b->setting.layer;

    return (size_t)(units * l->in_size * l->in_size / b->setting.parts * l->in_channels);
}

static inline size_t out_numbers(const struct bench *b, long units)
{
    const struct layer *l = &b->setting.layer;

    return (size_t)(units * l->out_size * l->out_size / b->setting.parts * l->out_channels);
}

/* One product of the definition: numbers of the input, of the weights (OIHW), of the output. */
typedef void product_fn(size_t in, size_t weight, size_t out);

static inline void add(size_t at, double product)
{
    wanted[at] += product;
    magnitude[at] += fabs(product);
}

static inline void to_output(size_t in, size_t weight, size_t out)
{
    add(out, (double)input[in] * (double)weights[weight]);
}

static inline void to_input(size_t in, size_t weight, size_t out)
{
    add(in, (double)gradient[out] * (double)weights[weight]);
}

static inline void to_weights(size_t in, size_t weight, size_t out)
{
    add(weight, (double)input[in] * (double)gradient[out]);
}

static inline void pixel_pair(const struct layer *l, long in, long out, long tap,
                              product_fn *product)
{
    long taps = (long)l->kernel * l->kernel;

    for (long o = 0; o < l->out_channels; o++)
        for (long i = 0; i < l->in_channels; i++)
            product((size_t)(in * l->in_channels + i),
                    (size_t)((o * l->in_channels + i) * taps + tap),
                    (size_t)(out * l->out_channels + o));
}

static inline void define(const struct bench *b, long units, product_fn *product)
{
    const struct layer *l = &b->setting.layer;
    long k = l->kernel, size = l->in_size, out = l->out_size;

    memset(wanted, 0, sizeof wanted);
    memset(magnitude, 0, sizeof magnitude);
    if (k == 1 && l->stride == 1) {
        for (long p = 0; p < units * size * size / b->setting.parts; p++)
            pixel_pair(l, p, p, 0, product);
        return;
    }
    for (long p = 0; p < units * out * out; p++)
        for (long tap = 0; tap < k * k; tap++) {
            long row = p / out % out * l->stride + tap / k - l->padding;
            long column = p % out * l->stride + tap % k - l->padding;

            if (row >= 0 && row < size && column >= 0 && column < size)
                pixel_pair(l, (p / (out * out) * size + row) * size + column, p, tap, product);
        }
}
