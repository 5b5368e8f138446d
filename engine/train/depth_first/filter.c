#include "engine/train/depth_first/filter.h"

#include "common/cleanup.h"

#include <assert.h>

/* round_weights() stores floats as bf16: two bytes. */
_Static_assert(sizeof(uint16_t) * 2 == sizeof(float), "a bf16 number is half a float");

/* The operations for chunks of one size. */
struct variant {
    long units;
    struct dnn_op *forward;
    struct dnn_op *backward_data;    /* NULL for the layer that reads images */
    struct dnn_op *backward_weights; /* NULL by hand */
    struct wgrad_shape hand;         /* as our kernel sees the chunk */
    size_t input_count;              /* numbers in a chunk: n * in_size^2 / parts * in_channels */
    size_t output_count;             /* n * out_size^2 / parts * out_channels */
};

struct filter {
    struct filter_context context;
    struct filter_shape shape;
    struct variant variants[FILTER_COUNTS];
    struct dnn_op *load[2]; /* reorder: our layout to forward's and backward_data's */
    struct dnn_op *show;    /* reorder: our layout to OIHW */
    struct dnn_op *take;    /* reorder: OIHW to our layout */
    struct parameter *parameter;
    size_t count;    /* numbers in our layout, padding included */
    long strides[4]; /* of O, I, H, W in our layout, by hand */
    float *weights;  /* (count): the master copy */
    float *velocity; /* (count), or NULL without momentum */
    float *gradient; /* (count), or NULL where nothing shows it */
    void *loaded[2]; /* (O, I, H, W) in forward's and backward_data's layouts and type */
};

static struct dnn_convolution chunk_shape(const struct filter_shape *shape, long units)
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

static bool wants_backward_data(const struct filter *filter)
{
    return filter->shape.layer->input >= 0;
}

static size_t count_of(const struct dnn_images *images)
{
    return dnn_images_bytes(images) / dnn_type_size(images->type);
}

static struct wgrad_shape hand_shape(const struct dnn_convolution *shape)
{
    const struct dnn_images *in = &shape->input, *out = &shape->output;

    return (struct wgrad_shape){.images = in->batch,
                                .in_size = in->width,
                                .out_size = out->width,
                                .pixels = in->batch * in->height * in->width,
                                .in_channels = in->channels,
                                .out_channels = out->channels,
                                .kernel = shape->kernel,
                                .stride = shape->stride};
}

bool filter_can_by_hand(const struct layer *layer, enum wgrad_kind kind, enum cpu_isa isa)
{
    const struct filter_shape shape = {.layer = layer, .type = DNN_BF16, .parts = 1};
    const struct dnn_convolution chunk = chunk_shape(&shape, 1);
    const struct wgrad_shape hand = hand_shape(&chunk);

    return wgrad_supports(kind, &hand, isa);
}

/* All variants share one copy of the weights, so the first decides on its layouts. */
static bool make_variant(struct filter *filter, int index, struct error *err)
{
    const struct variant *first = index > 0 ? &filter->variants[0] : NULL;
    struct variant *variant = &filter->variants[index];
    long units = filter->shape.counts[index];
    const struct dnn_convolution shape = chunk_shape(&filter->shape, units);
    struct dnn *dnn = filter->context.dnn;

    variant->units = units;
    variant->input_count = count_of(&shape.input);
    variant->output_count = count_of(&shape.output);
    variant->hand = hand_shape(&shape);
    variant->forward =
        dnn_convolution(dnn, DNN_FORWARD, &shape, first ? first->forward : NULL, err);
    if (!filter->shape.by_hand)
        variant->backward_weights = dnn_convolution(dnn, DNN_BACKWARD_WEIGHTS, &shape,
                                                    first ? first->backward_weights : NULL, err);
    if (!variant->forward || (!variant->backward_weights && !filter->shape.by_hand))
        return false;
    if (wants_backward_data(filter))
        variant->backward_data = dnn_convolution(dnn, DNN_BACKWARD_DATA, &shape,
                                                 first ? first->backward_data : NULL, err);
    return variant->backward_data || !wants_backward_data(filter);
}

static bool make_reorders(struct filter *filter, struct error *err)
{
    const struct variant *first = &filter->variants[0];
    const struct dnn_convolution shape = chunk_shape(&filter->shape, first->units);
    const struct dnn_layout plain = {0}, forward = {.of = first->forward};
    struct dnn_layout own = {.of = first->backward_weights};
    struct dnn *dnn = filter->context.dnn;

    if (filter->shape.by_hand) {
        wgrad_strides(&first->hand, filter->strides);
        own.strides = filter->strides;
    }
    filter->take = dnn_weight_reorder(dnn, &shape, plain, own, err);
    filter->show = dnn_weight_reorder(dnn, &shape, own, plain, err);
    filter->load[0] = dnn_weight_reorder(dnn, &shape, own, forward, err);
    if (!filter->take || !filter->show || !filter->load[0])
        return false;
    if (!wants_backward_data(filter))
        return true;
    filter->load[1] = dnn_weight_reorder(dnn, &shape, own,
                                         (struct dnn_layout){.of = first->backward_data}, err);
    return filter->load[1] != NULL;
}

/* Takes `size` zeroed bytes at a cache line; NULL for size 0 or without memory. */
static void *get_memory(size_t size)
{
    size_t room = (size + 63) & ~(size_t)63;
    void *memory = size ? aligned_alloc(64, room) : NULL;

    return memory ? memset(memory, 0, room) : NULL;
}

static bool make_memory(struct filter *filter, struct error *err)
{
    const struct variant *first = &filter->variants[0];
    const struct filter_context *context = &filter->context;
    size_t size = filter->parameter->count * sizeof(float);

    if (!filter->shape.by_hand)
        size = dnn_op_size(first->backward_weights, 2);
    assert(size % sizeof(float) == 0 && size / sizeof(float) >= filter->parameter->count);
    filter->count = size / sizeof(float);
    filter->weights = get_memory(size);
    filter->loaded[0] = get_memory(dnn_op_size(first->forward, 1));
    if (context->momentum)
        filter->velocity = get_memory(size);
    if (context->keep_gradients)
        filter->gradient = get_memory(size);
    if (wants_backward_data(filter))
        filter->loaded[1] = get_memory(dnn_op_size(first->backward_data, 1));
    if (!filter->weights || !filter->loaded[0] || (context->momentum && !filter->velocity) ||
        (context->keep_gradients && !filter->gradient) ||
        (wants_backward_data(filter) && !filter->loaded[1]))
        return error_set(err, ERROR_INTERNAL, NULL, "no memory for the weights of %s",
                         filter->shape.layer->name);
    return true;
}

static bool take_parameter(struct filter *filter, struct error *err)
{
    void *const memory[] = {filter->parameter->value, filter->weights};

    return dnn_op_run(filter->take, memory, err) && filter_load(filter, 0, 0, err) &&
           filter_load(filter, 0, 1, err);
}

static bool build(struct filter *filter, struct error *err)
{
    for (int i = 0; i < filter->shape.count_kinds; i++)
        if (!make_variant(filter, i, err))
            return false;
    return make_reorders(filter, err) && make_memory(filter, err) && take_parameter(filter, err);
}

struct filter *filter_new(const struct filter_context *context, const struct filter_shape *shape,
                          struct error *err)
{
    struct filter *filter = calloc(1, sizeof *filter);

    assert(shape->count_kinds > 0 && shape->count_kinds <= FILTER_COUNTS && shape->parts > 0);
    assert(!shape->emulated || shape->type == DNN_BF16);
    assert(!shape->by_hand || (shape->type == DNN_BF16 && !shape->emulated));
    if (!filter) {
        error_no_memory(err);
        return NULL;
    }
    filter->context = *context;
    filter->shape = *shape;
    filter->parameter = parameters_find(context->parameters, shape->layer->name, "weight");
    assert(filter->parameter &&
           filter->parameter->count == (size_t)shape->layer->in_channels *
                                           (size_t)shape->layer->out_channels *
                                           (size_t)(shape->layer->kernel * shape->layer->kernel));
    if (!build(filter, err)) {
        filter_free(filter);
        return NULL;
    }
    return filter;
}

void filter_free(struct filter *filter)
{
    if (!filter)
        return;
    for (int i = 0; i < FILTER_COUNTS; i++) {
        dnn_op_free(filter->variants[i].forward);
        dnn_op_free(filter->variants[i].backward_data);
        dnn_op_free(filter->variants[i].backward_weights);
    }
    dnn_op_free(filter->load[0]);
    dnn_op_free(filter->load[1]);
    dnn_op_free(filter->show);
    dnn_op_free(filter->take);
    free(filter->weights);
    free(filter->velocity);
    free(filter->gradient);
    free(filter->loaded[0]);
    free(filter->loaded[1]);
    free(filter);
}

static const struct variant *variant_of(const struct filter *filter, long units)
{
    int i = 0;

    while (i < filter->shape.count_kinds && filter->variants[i].units != units)
        i++;
    assert(i < filter->shape.count_kinds); /* filter_shape.counts has every size of a call */
    return &filter->variants[i];
}

/* Enough for a chunk in f32 where it is emulated, and for one gradient before it is added; or for
 * our kernel. */
size_t filter_scratch(const struct filter *filter)
{
    size_t most = 0;

    for (int i = 0; i < filter->shape.count_kinds; i++) {
        const struct variant *variant = &filter->variants[i];
        size_t bytes = 0;

        if (filter->shape.by_hand)
            bytes = wgrad_scratch(filter->shape.hand, &variant->hand);
        else if (filter->shape.emulated)
            bytes = (variant->input_count + variant->output_count + 32) * sizeof(float);
        most = bytes > most ? bytes : most;
    }
    return most + (filter->shape.by_hand ? 0 : filter->count * sizeof(float)) + 64;
}

/* Takes `count` floats from *scratch and moves it behind them, to a multiple of 64 bytes. */
static float *room_for(size_t count, float **scratch)
{
    float *room = *scratch;

    *scratch += (count + 15) & ~(size_t)15;
    return room;
}

/* One convolution that reads `from`, (from_count) stored, and writes `to`, (to_count) stored. */
struct emulation {
    struct dnn_op *op;
    void *from, *weights, *to;
    size_t from_count, to_count;
};

static bool convolve(struct filter *filter, const struct filter_call *call,
                     const struct emulation *work, struct error *err)
{
    const struct passes *passes = filter->context.passes;
    void *memory[] = {work->from, work->weights, work->to};
    float *scratch = call->scratch, *from, *to;

    assert(work->op && work->from && work->to && work->weights);
    if (!filter->shape.emulated)
        return dnn_op_run_on(work->op, call->lane, memory, err);
    memory[0] = from = room_for(work->from_count, &scratch);
    memory[2] = to = room_for(work->to_count, &scratch);
    passes->to_floats(work->from, work->from_count, from);
    if (!dnn_op_run_on(work->op, call->lane, memory, err))
        return false;
    passes->from_floats(to, work->to_count, work->to);
    return true;
}

bool filter_forward(struct filter *filter, const struct filter_call *call, void *input,
                    void *output, struct error *err)
{
    const struct variant *variant = variant_of(filter, call->units);
    const struct emulation work = {variant->forward,     input,
                                   filter->loaded[0],    output,
                                   variant->input_count, variant->output_count};

    return convolve(filter, call, &work, err);
}

bool filter_backward_data(struct filter *filter, const struct filter_call *call, void *gradient,
                          void *input_gradient, struct error *err)
{
    const struct variant *variant = variant_of(filter, call->units);
    const struct emulation work = {variant->backward_data, gradient,
                                   filter->loaded[1],      input_gradient,
                                   variant->output_count,  variant->input_count};

    return convolve(filter, call, &work, err);
}

size_t filter_weights(const struct filter *filter)
{
    return filter->count;
}

bool filter_can_slice(const struct filter *filter)
{
    return filter->shape.by_hand;
}

static void by_hand(const struct filter *filter, const struct filter_call *call,
                    const struct filter_gradient *work)
{
    long grains = filter->shape.layer->out_channels / 32; /* what kernels work at once */
    const struct wgrad_memory memory = {.input = work->input,
                                        .gradient = work->gradient,
                                        .weights = work->sum,
                                        .scratch = call->scratch,
                                        .accumulate = !work->first,
                                        .out_begin = grains * work->slice / work->slices * 32,
                                        .out_end =
                                            grains * (work->slice + 1) / work->slices * 32};

    if (memory.out_begin < memory.out_end)
        wgrad_run(filter->shape.hand, &variant_of(filter, call->units)->hand, &memory);
}

bool filter_backward_weights(struct filter *filter, const struct filter_call *call,
                             const struct filter_gradient *work, struct error *err)
{
    const struct variant *variant = variant_of(filter, call->units);
    const struct passes *passes = filter->context.passes;
    void *memory[] = {work->input, work->gradient, work->sum};
    float *raw = call->scratch;

    assert(work->slices > 0 && work->slice >= 0 && work->slice < work->slices);
    assert(work->slices == 1 || filter_can_slice(filter));
    if (filter->shape.by_hand) {
        by_hand(filter, call, work);
        return true;
    }
    if (filter->shape.emulated) {
        float *input = room_for(variant->input_count, &raw);
        float *gradient = room_for(variant->output_count, &raw);

        passes->to_floats(work->input, variant->input_count, input);
        passes->to_floats(work->gradient, variant->output_count, gradient);
        memory[0] = input;
        memory[1] = gradient;
    }
    if (!work->first)
        memory[2] = raw;
    if (!dnn_op_run_on(variant->backward_weights, call->lane, memory, err))
        return false;
    if (!work->first)
        passes->accumulate(raw, filter->count, work->sum);
    return true;
}

void filter_learn(struct filter *filter, const struct filter_update *update)
{
    size_t lines = (filter->count + 15) / 16;
    size_t begin = lines * (size_t)update->index / (size_t)update->of * 16;
    size_t end = lines * (size_t)(update->index + 1) / (size_t)update->of * 16;
    const struct pass_learn learn = {.copies = update->copies,
                                     .copy_count = update->copy_count,
                                     .weights = filter->weights,
                                     .velocity = filter->velocity,
                                     .gradient = filter->gradient,
                                     .begin = begin,
                                     .end = end < filter->count ? end : filter->count};

    assert(update->copy_count > 0 && update->index >= 0 && update->index < update->of);
    assert(update->sgd->momentum == 0 || filter->velocity);
    filter->context.passes->learn(&learn, update->sgd);
}

/* Rounds weights to bf16: emulation computes in f32, but on the same numbers as bf16 does. */
static void round_weights(struct filter *filter, float *weights, size_t count)
{
    const struct passes *passes = filter->context.passes;
    uint16_t rounded[1024];

    for (size_t at = 0; at < count; at += COUNT(rounded)) {
        size_t some = count - at < COUNT(rounded) ? count - at : COUNT(rounded);

        passes->from_floats(weights + at, some, rounded);
        passes->to_floats(rounded, some, weights + at);
    }
}

bool filter_load(struct filter *filter, int lane, int direction, struct error *err)
{
    void *const memory[] = {filter->weights, filter->loaded[direction]};

    assert(direction == 0 || direction == 1);
    if (!filter->load[direction])
        return true;
    if (!dnn_op_run_on(filter->load[direction], lane, memory, err))
        return false;
    if (filter->shape.emulated)
        round_weights(filter, filter->loaded[direction],
                      dnn_op_size(filter->load[direction], 1) / sizeof(float));
    return true;
}

bool filter_show(struct filter *filter, struct error *err)
{
    void *const weights[] = {filter->weights, filter->parameter->value};
    void *const gradient[] = {filter->gradient, filter->parameter->gradient};

    return dnn_op_run(filter->show, weights, err) &&
           (!filter->gradient || dnn_op_run(filter->show, gradient, err));
}

void filter_names(const struct filter *filter, net_visit visit, void *user)
{
    const struct variant *first = &filter->variants[0];
    const char *layer = filter->shape.layer->name;

    visit(user, layer, "forward", dnn_op_name(first->forward));
    if (first->backward_data)
        visit(user, layer, "backward_data", dnn_op_name(first->backward_data));
    visit(user, layer, "backward_weights",
          filter->shape.by_hand ? wgrad_kind_name(filter->shape.hand)
                                : dnn_op_name(first->backward_weights));
}
