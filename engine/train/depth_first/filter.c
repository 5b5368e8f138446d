#include "engine/train/depth_first/filter.h"

#include "common/hash.h"
#include "common/memory.h"
#include "common/order.h"
#include "engine/train/depth_first/direction.h"
#include "engine/train/onednn/dnn_make.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct filter {
    struct filter_context context;
    struct filter_shape shape;
    struct direction *directions[FILTER_DIRECTIONS]; /* no backward for what reads images */
    struct dnn_op *gradients[FILTER_COUNTS]; /* of the weights, by the library, not by hand */
    struct dnn_op *show;                     /* reorder: our layout to OIHW */
    struct dnn_op *take;                     /* reorder: OIHW to our layout */
    struct parameter *parameter;
    size_t count;     /* numbers in our layout, padding included */
    size_t sum_count; /* numbers in a sum of gradients */
    long strides[4];  /* of O, I, H, W in our layout, where not the library decides on it */
    float *weights;   /* (count): the master copy */
    float *velocity;  /* (count), or NULL without momentum */
    float *gradient;  /* (count), or NULL where nothing reads it */
};

static bool wants_backward_data(const struct filter *filter)
{
    return filter->shape.layer->input >= 0;
}

/* Whether the library computes the gradient of the weights. */
static bool by_library(const struct filter_shape *shape)
{
    return !shape->by_hand && !shape->winograd;
}

/* Whether our kernels read weights whose layout only the library knows: then filter_pack() reads
 * them from the parameter, where filter_load() brings them. */
static bool loads_from_parameter(const struct filter *filter)
{
    return by_library(&filter->shape) &&
           (filter->shape.kernels[CONV_FORWARD] || filter->shape.kernels[CONV_BACKWARD_DATA]);
}

static bool make_directions(struct filter *filter, struct error *err)
{
    struct direction_context context = {filter->context.dnn, filter->context.passes,
                                        &filter->shape, CONV_FORWARD};

    filter->directions[CONV_FORWARD] = direction_new(&context, err);
    if (!filter->directions[CONV_FORWARD] || !wants_backward_data(filter))
        return filter->directions[CONV_FORWARD] != NULL;
    context.direction = CONV_BACKWARD_DATA;
    filter->directions[CONV_BACKWARD_DATA] = direction_new(&context, err);
    return filter->directions[CONV_BACKWARD_DATA] != NULL;
}

/* All operations share one sum, so the first decides on its layout. */
static bool make_gradients(struct filter *filter, struct error *err)
{
    for (int i = 0; i < filter->shape.count_kinds && by_library(&filter->shape); i++) {
        const struct dnn_convolution chunk =
            filter_chunk(&filter->shape, filter->shape.counts[i]);

        filter->gradients[i] = dnn_convolution(filter->context.dnn, DNN_BACKWARD_WEIGHTS, &chunk,
                                               i > 0 ? filter->gradients[0] : NULL, err);
        if (!filter->gradients[i])
            return false;
    }
    return true;
}

/* Of OIHW. */
static void plain_strides(const struct layer *layer, long ret[4])
{
    ret[3] = 1;
    ret[2] = layer->kernel;
    ret[1] = ret[2] * layer->kernel;
    ret[0] = ret[1] * layer->in_channels;
}

static bool make_reorders(struct filter *filter, struct error *err)
{
    const struct dnn_convolution chunk = filter_chunk(&filter->shape, filter->shape.counts[0]);
    const struct wgrad_shape hand = filter_wgrad(&filter->shape, filter->shape.counts[0]);
    struct dnn_layout plain = {0}, own = {.of = filter->gradients[0]};
    struct dnn *dnn = filter->context.dnn;

    if (filter->shape.by_hand)
        wgrad_strides(&hand, filter->strides);
    else
        plain_strides(filter->shape.layer, filter->strides);
    if (!by_library(&filter->shape))
        own.strides = filter->strides;
    filter->take = dnn_weight_reorder(dnn, &chunk, plain, own, err);
    filter->show = dnn_weight_reorder(dnn, &chunk, own, plain, err);
    if (!filter->take || !filter->show)
        return false;
    for (int i = 0; i < FILTER_DIRECTIONS; i++)
        if (filter->directions[i] && direction_by_library(filter->directions[i]) &&
            !direction_layout(filter->directions[i], &own, err))
            return false;
    return true;
}

static bool make_memory(struct filter *filter, struct error *err)
{
    const struct filter_context *context = &filter->context;
    const struct conv_shape conv = filter_conv(&filter->shape, CONV_FORWARD);
    bool keeps = context->keep_gradients || filter->shape.winograd;
    size_t size = filter->parameter->count * sizeof(float);

    if (by_library(&filter->shape))
        size = dnn_op_size(filter->gradients[0], 2);
    assert(size % sizeof(float) == 0 && size / sizeof(float) >= filter->parameter->count);
    filter->count = filter->sum_count = size / sizeof(float);
    if (filter->shape.winograd)
        filter->sum_count = filter->shape.winograd->sums_size(&conv) / sizeof(float);
    filter->weights = filter_memory(size);
    if (context->momentum)
        filter->velocity = filter_memory(size);
    if (keeps)
        filter->gradient = filter_memory(size);
    if (!filter->weights || (context->momentum && !filter->velocity) ||
        (keeps && !filter->gradient))
        return error_set(err, ERROR_INTERNAL, NULL, "no memory for the weights of %s",
                         filter->shape.layer->name);
    return true;
}

static bool take_parameter(struct filter *filter, struct error *err)
{
    void *const memory[] = {filter->parameter->value, filter->weights};

    return dnn_op_run(filter->take, memory, err) && filter_load(filter, 0, CONV_FORWARD, err) &&
           filter_load(filter, 0, CONV_BACKWARD_DATA, err);
}

static bool filter_build(struct filter *filter, struct error *err)
{
    return make_directions(filter, err) && make_gradients(filter, err) &&
           make_reorders(filter, err) && make_memory(filter, err) && take_parameter(filter, err);
}

struct filter *filter_new(const struct filter_context *context, const struct filter_shape *shape,
                          struct error *err)
{
    struct filter *filter = xcalloc(1, sizeof *filter);

    assert(shape->count_kinds > 0 && shape->count_kinds <= FILTER_COUNTS && shape->parts > 0);
    assert(!shape->emulated || shape->type == DNN_BF16);
    assert(!shape->by_hand || !shape->emulated);
    assert(!shape->emulated || (!shape->kernels[0] && !shape->kernels[1]));
    filter->context = *context;
    filter->shape = *shape;
    filter->parameter = parameters_find(context->parameters, shape->layer->name, "weight");
    assert(filter->parameter &&
           filter->parameter->count == (size_t)shape->layer->in_channels *
                                           (size_t)shape->layer->out_channels *
                                           (size_t)(shape->layer->kernel * shape->layer->kernel));
    if (!filter_build(filter, err)) {
        filter_free(filter);
        return NULL;
    }
    return filter;
}

void filter_free(struct filter *filter)
{
    if (!filter)
        return;
    for (int i = 0; i < FILTER_DIRECTIONS; i++)
        direction_free(filter->directions[i]);
    for (int i = 0; i < FILTER_COUNTS; i++)
        dnn_op_free(filter->gradients[i]);
    dnn_op_free(filter->show);
    dnn_op_free(filter->take);
    free(filter->weights);
    free(filter->velocity);
    free(filter->gradient);
    free(filter);
}

/* Enough for a chunk in f32 where it is emulated, and for one gradient before it is added; or for
 * our kernel. */
static size_t gradient_scratch(const struct filter *filter)
{
    const struct filter_shape *shape = &filter->shape;
    const struct conv_shape conv = filter_conv(shape, CONV_FORWARD);
    size_t most = 0, numbers;

    if (shape->winograd)
        return shape->winograd->scratch_size(&conv);
    for (int i = 0; i < shape->count_kinds; i++) {
        const struct wgrad_shape hand = filter_wgrad(shape, shape->counts[i]);

        numbers = filter_input_count(shape, shape->counts[i]) +
                  filter_output_count(shape, shape->counts[i]) + 32;
        if (shape->by_hand)
            most = larger_size(most, wgrad_scratch(shape->hand, &hand));
        else if (shape->emulated)
            most = larger_size(most, numbers * sizeof(float));
    }
    return most + (shape->by_hand ? 0 : filter->count * sizeof(float));
}

size_t filter_scratch(const struct filter *filter)
{
    size_t most = gradient_scratch(filter);

    for (int i = 0; i < FILTER_DIRECTIONS; i++)
        if (filter->directions[i])
            most = larger_size(most, direction_scratch(filter->directions[i]));
    return most + 64;
}

bool filter_run(struct filter *filter, const struct filter_call *call,
                enum conv_direction direction, void *input, const struct conv_end *end,
                struct error *err)
{
    assert(filter->directions[direction]);
    return direction_run(filter->directions[direction], call, input, end, err);
}

size_t filter_weights(const struct filter *filter)
{
    return filter->sum_count;
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

    const struct wgrad_shape hand = filter_wgrad(&filter->shape, call->units);

    if (memory.out_begin < memory.out_end)
        wgrad_run(filter->shape.hand, &hand, &memory);
}

static void by_winograd(const struct filter *filter, const struct filter_call *call,
                        const struct filter_gradient *work)
{
    const struct conv_shape conv = filter_conv(&filter->shape, CONV_FORWARD);
    const struct winograd_gradient_call add = {.images = call->units,
                                               .input = work->input,
                                               .gradient = work->gradient,
                                               .sums = work->sum,
                                               .first = work->first,
                                               .scratch = call->scratch};

    assert(work->slices == 1);
    filter->shape.winograd->add(&conv, &add);
}

bool filter_backward_weights(struct filter *filter, const struct filter_call *call,
                             const struct filter_gradient *work, struct error *err)
{
    const struct filter_shape *shape = &filter->shape;
    struct dnn_op *op = filter->gradients[filter_count_of(shape, call->units)];
    const struct passes *passes = filter->context.passes;
    void *memory[] = {work->input, work->gradient, work->sum};
    float *raw = call->scratch;

    assert(work->slices > 0 && work->slice >= 0 && work->slice < work->slices);
    assert(work->slices == 1 || filter_can_slice(filter));
    if (!by_library(shape)) {
        (shape->by_hand ? by_hand : by_winograd)(filter, call, work);
        return true;
    }
    if (shape->emulated) {
        size_t inputs = filter_input_count(shape, call->units);
        size_t outputs = filter_output_count(shape, call->units);

        memory[0] = filter_room(inputs, &raw);
        memory[1] = filter_room(outputs, &raw);
        passes->to_floats(work->input, inputs, memory[0]);
        passes->to_floats(work->gradient, outputs, memory[1]);
    }
    if (!work->first)
        memory[2] = raw;
    if (!dnn_op_run_on(op, call->lane, memory, err))
        return false;
    if (!work->first)
        passes->accumulate(raw, filter->count, work->sum);
    return true;
}

/* The gradient of part `index` of the output channels, from the sums of all threads. */
static void sum_by_winograd(struct filter *filter, const struct filter_update *update)
{
    const struct conv_shape conv = filter_conv(&filter->shape, CONV_FORWARD);
    const struct winograd_gradient_sums sums = {(const float *const *)update->copies,
                                                update->copy_count};
    struct winograd_gradient_result result = {.values = filter->gradient};

    memcpy(result.strides, filter->strides, sizeof result.strides);
    filter->shape.winograd->finish(&conv, &sums, update->index, update->of, &result);
}

/* That, and the step with it. */
static void learn_by_winograd(struct filter *filter, const struct filter_update *update)
{
    const struct winograd_gradient *winograd = filter->shape.winograd;
    long grains = filter_conv(&filter->shape, CONV_FORWARD).out_channels / winograd->out_multiple;
    size_t each = (size_t)(winograd->out_multiple * filter->strides[0]);
    const struct pass_learn learn = {
        .copies = &filter->gradient,
        .copy_count = 1,
        .weights = filter->weights,
        .velocity = filter->velocity,
        .begin = (size_t)(grains * update->index / update->of) * each,
        .end = (size_t)(grains * (update->index + 1) / update->of) * each};

    sum_by_winograd(filter, update);
    filter->context.passes->learn(&learn, update->sgd);
}

/* Numbers ret[0] .. ret[1] - 1 of the weights are this part's, by cache lines. */
static void slice_of(const struct filter *filter, const struct filter_update *update,
                     size_t ret[2])
{
    size_t lines = (filter->count + 15) / 16;

    assert(update->index >= 0 && update->index < update->of);
    for (int i = 0; i < 2; i++) {
        ret[i] = lines * (size_t)(update->index + i) / (size_t)update->of * 16;
        ret[i] = ret[i] < filter->count ? ret[i] : filter->count;
    }
}

void filter_learn(struct filter *filter, const struct filter_update *update)
{
    size_t slice[2];

    slice_of(filter, update, slice);
    const struct pass_learn learn = {.copies = update->copies,
                                     .copy_count = update->copy_count,
                                     .weights = filter->weights,
                                     .velocity = filter->velocity,
                                     .gradient = filter->gradient,
                                     .begin = slice[0],
                                     .end = slice[1]};

    assert(update->copy_count > 0);
    assert(update->sgd->momentum == 0 || filter->velocity);
    if (filter->shape.winograd)
        learn_by_winograd(filter, update);
    else
        filter->context.passes->learn(&learn, update->sgd);
}

void filter_sum(struct filter *filter, const struct filter_update *update)
{
    size_t slice[2];

    assert(filter->gradient && update->copy_count > 0);
    if (filter->shape.winograd) {
        sum_by_winograd(filter, update);
        return;
    }
    slice_of(filter, update, slice);
    memcpy(filter->gradient + slice[0], update->copies[0] + slice[0],
           (slice[1] - slice[0]) * sizeof(float));
    for (int i = 1; i < update->copy_count; i++)
        filter->context.passes->accumulate(update->copies[i] + slice[0], slice[1] - slice[0],
                                           filter->gradient + slice[0]);
}

void filter_step(struct filter *filter, const struct filter_update *update)
{
    size_t slice[2];

    assert(filter->gradient && (update->sgd->momentum == 0 || filter->velocity));
    slice_of(filter, update, slice);
    const struct pass_learn learn = {.copies = &filter->gradient,
                                     .copy_count = 1,
                                     .weights = filter->weights,
                                     .velocity = filter->velocity,
                                     .begin = slice[0],
                                     .end = slice[1]};
    filter->context.passes->learn(&learn, update->sgd);
}

float *filter_gradient_at(struct filter *filter, size_t *ret_count)
{
    *ret_count = filter->count;
    return filter->gradient;
}

/* Shows where each number of the layout goes in OIHW. */
bool filter_hash_layout(struct filter *filter, uint64_t *hash, struct error *err)
{
    void *const memory[] = {filter->gradient, filter->parameter->gradient};

    assert(filter->gradient && filter->count < 1 << 24); /* each index is a number in f32 */
    for (size_t i = 0; i < filter->count; i++)
        filter->gradient[i] = (float)i;
    if (!dnn_op_run(filter->show, memory, err))
        return false;
    for (size_t i = 0; i < filter->parameter->count; i++)
        *hash = hash_step(*hash, (uint64_t)filter->parameter->gradient[i]);
    return true;
}

size_t filter_packed_size(const struct filter *filter, enum conv_direction direction)
{
    return filter->directions[direction] ? direction_packed_size(filter->directions[direction])
                                         : 0;
}

void filter_place(struct filter *filter, enum conv_direction direction, void *memory)
{
    direction_place(filter->directions[direction], memory);
}

void filter_pack(struct filter *filter, enum conv_direction direction, int index, int of)
{
    struct conv_weights strided = {.values = filter->weights};

    if (loads_from_parameter(filter))
        strided.values = filter->parameter->value;
    memcpy(strided.strides, filter->strides, sizeof strided.strides);
    if (filter_packed_size(filter, direction) > 0)
        direction_pack(filter->directions[direction], &strided, index, of);
}

bool filter_load(struct filter *filter, int lane, enum conv_direction direction,
                 struct error *err)
{
    void *const memory[] = {filter->weights, filter->parameter->value};
    struct direction *loaded = filter->directions[direction];

    if (direction == CONV_FORWARD && loads_from_parameter(filter) &&
        !dnn_op_run_on(filter->show, lane, memory, err))
        return false;
    return !loaded || !direction_by_library(loaded) ||
           direction_load(loaded, lane, filter->weights, err);
}

bool filter_show(struct filter *filter, struct error *err)
{
    void *const weights[] = {filter->weights, filter->parameter->value};
    void *const gradient[] = {filter->gradient, filter->parameter->gradient};

    return dnn_op_run(filter->show, weights, err) &&
           (!filter->context.keep_gradients || dnn_op_run(filter->show, gradient, err));
}

void filter_release(struct filter *filter)
{
    if (!loads_from_parameter(filter))
        parameter_release(filter->parameter);
}

void filter_names(const struct filter *filter, net_visit visit, void *user)
{
    const char *layer = filter->shape.layer->name;

    visit(user, layer, "forward", direction_name(filter->directions[CONV_FORWARD]));
    if (filter->directions[CONV_BACKWARD_DATA])
        visit(user, layer, "backward_data",
              direction_name(filter->directions[CONV_BACKWARD_DATA]));
    if (filter->shape.winograd)
        visit(user, layer, "backward_weights", filter->shape.winograd->name);
    else
        visit(user, layer, "backward_weights",
              filter->shape.by_hand ? wgrad_kind_name(filter->shape.hand)
                                    : dnn_op_name(filter->gradients[0]));
}
