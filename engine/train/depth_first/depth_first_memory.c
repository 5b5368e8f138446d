/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/depth_first/depth_first_memory.h"

#include "common/order.h"
#include "common/units.h"
#include "engine/train/depth_first/depth_first_groups.h"
#include "engine/train/networks/tensor_init.h"
#include "engine/train/threads/host.h"

#include <math.h>

/* A pointer to be filled when the arena has its memory. */
struct wish {
    void **place;
    int number;
};

struct wishes {
    struct arena *arena;
    int count;
    struct wish list[ARENA_MAX];
};

/* wish_for_batch(): nine for the batch; for each convolution its output, its activation's
 * gradient and two directions of packed weights, and for at most every second one what is kept on
 * the way forward; for each pool what is kept of it and its choices. */
_Static_assert(4 * LAYERS_MAX + LAYERS_MAX / 2 + 9 <= ARENA_MAX,
               "an arena has room for the buffers of a batch");

static void memory_wish(struct wishes *wishes, void **place, size_t bytes, int first, int last)
{
    assert(wishes->count < ARENA_MAX && first <= last);
    wishes->list[wishes->count++] =
        (struct wish){place, arena_ask(wishes->arena, bytes, first, last)};
}

/* The stage that convolution `conv` is in. */
static int stage_of(const struct depth_first *depth_first, int conv)
{
    for (int i = 0; i < depth_first->stages.count; i++)
        for (int k = 0; k < depth_first->stages.list[i].count; k++)
            if (depth_first->stages.list[i].convs[k] == conv)
                return i;
    assert(false); /* stages_of() puts every convolution into a stage */
    return -1;
}

/* The last time that a stage reads the gradient of an activation. */
static int last_of_gradient(const struct depth_first *depth_first,
                            const struct activation *activation)
{
    int last = depth_first_time_back(depth_first, stage_of(depth_first, activation->conv));

    if (activation->adds_conv >= 0)
        last = (int)fmax(last, depth_first_time_back(
                                   depth_first, stage_of(depth_first, activation->adds_conv)));
    if (activation->adds >= 0)
        last = (int)fmax(
            last, depth_first_time_back(depth_first, depth_first->reader[activation->adds]));
    return last;
}

/* The stage that makes an activation on the way forward; the head makes what no stage reads. */
static int time_made(const struct depth_first *depth_first, int activation)
{
    int reader = depth_first->reader[activation];

    return reader < 0 ? depth_first->stages.count : reader;
}

static void wish_for_activation(struct depth_first *depth_first, int index, struct wishes *wishes)
{
    const struct activation *activation = &depth_first->stages.activations[index];
    const struct layer *conv = &depth_first->network.layers[activation->conv];
    size_t batch = (size_t)depth_first->options.batch,
           bytes = batch * depth_first_bytes_out(depth_first, conv);
    int reader = depth_first->reader[index];
    int made = time_made(depth_first, index),
        back = reader < 0 ? made : depth_first_time_back(depth_first, reader);
    int last = last_of_gradient(depth_first, activation);

    if (activation->pool >= 0) {
        const struct layer *pool = &depth_first->network.layers[activation->pool];
        size_t numbers = batch * depth_first_bytes_out(depth_first, pool) /
                         dnn_type_size(depth_first->options.type);

        memory_wish(wishes, &depth_first->kept[index],
                    batch * depth_first_bytes_out(depth_first, pool), made, back);
        memory_wish(wishes, (void **)&depth_first->chosen, numbers, made, back);
    } else if (activation->kept && !activation->again) {
        memory_wish(wishes, &depth_first->kept[index], bytes, made, last > back ? last : back);
        return; /* its gradient takes its place */
    } else if (activation->again && activation->added_to >= 0) {
        memory_wish(wishes, &depth_first->kept[index], bytes, made,
                    time_made(depth_first, activation->added_to));
    }
    memory_wish(wishes, &depth_first->gradients[index], bytes, back, last);
}

/* Stage `index`, or the head: its packed weights are made one time before they are read. Stage 0
 * keeps its packed weights from one step to the next. */
static void wish_for_packed(struct depth_first *depth_first, int index, struct wishes *wishes)
{
    const struct stage *stage =
        index < depth_first->stages.count ? &depth_first->stages.list[index] : &depth_first->head;
    int back = depth_first_time_back(depth_first, index);

    for (int i = 0; i < stage->count; i++) {
        int conv = stage->convs[i];
        size_t forward = filter_packed_size(depth_first->filters[conv], CONV_FORWARD);
        size_t backward = filter_packed_size(depth_first->filters[conv], CONV_BACKWARD_DATA);
        void **places = depth_first->packed[conv];

        if (forward > 0)
            memory_wish(wishes, &places[CONV_FORWARD], forward, index > 0 ? index - 1 : 0,
                        index > 0 ? index : back);
        if (backward > 0)
            memory_wish(wishes, &places[CONV_BACKWARD_DATA], backward, back - 1, back);
    }
}

static void wish_for_batch(struct depth_first *depth_first, struct wishes *wishes)
{
    const struct layer *first = &depth_first->network.layers[0];
    const struct layer *linear = &depth_first->network.layers[depth_first->stages.linear];
    size_t batch = (size_t)depth_first->options.batch;
    int end = 2 * depth_first->stages.count;

    memory_wish(wishes, &depth_first->images, batch * depth_first_bytes_in(depth_first, first), 0,
                end);
    if (depth_first->options.input_workers > 0)
        memory_wish(wishes, &depth_first->next_images,
                    batch * depth_first_bytes_in(depth_first, first), 0, end);
    memory_wish(wishes, (void **)&depth_first->source,
                batch * (size_t)(first->in_size * first->in_size * first->in_channels) *
                    sizeof(float),
                0, end);
    memory_wish(wishes, &depth_first->means, batch * depth_first_bytes_in(depth_first, linear), 0,
                end);
    memory_wish(wishes, &depth_first->mean_gradients,
                batch * depth_first_bytes_in(depth_first, linear), 0, end);
    memory_wish(wishes, &depth_first->logits, batch * depth_first_bytes_out(depth_first, linear),
                0, end);
    memory_wish(wishes, &depth_first->logit_gradients,
                batch * depth_first_bytes_out(depth_first, linear), 0, end);
    memory_wish(wishes, (void **)&depth_first->shown,
                batch * (size_t)linear->out_channels * sizeof(float), 0, end);
    memory_wish(wishes, (void **)&depth_first->losses, batch * sizeof(double), 0, end);
    for (int i = 0; i < depth_first->stages.count; i++)
        for (int k = 0; k < depth_first->stages.list[i].count; k++) {
            int conv = depth_first->stages.list[i].convs[k];

            memory_wish(
                wishes, &depth_first->outputs[conv],
                batch * depth_first_bytes_out(depth_first, &depth_first->network.layers[conv]), i,
                depth_first_time_back(depth_first, i));
        }
    for (int i = 0; i < depth_first->stages.activation_count; i++)
        wish_for_activation(depth_first, i, wishes);
    for (int i = 0; i <= depth_first->stages.count; i++)
        wish_for_packed(depth_first, i, wishes);
}

/* What one thread needs at most of each of its buffers. */
struct needs {
    size_t input, gradient, subsampled, scratch, sums;
};

static void need_of_stage(const struct depth_first *depth_first, int index, struct needs *needs)
{
    const struct stage *stage = &depth_first->stages.list[index];
    const struct cut *cut = &depth_first->cuts[index];
    size_t sums = 0;

    for (int k = 0; k < stage->count; k++) {
        const struct layer *layer = &depth_first->network.layers[stage->convs[k]];
        const struct filter *filter = depth_first->filters[stage->convs[k]];
        size_t units = (size_t)cut->chunk, parts = (size_t)cut->parts;

        needs->input =
            larger_size(needs->input, units * depth_first_bytes_in(depth_first, layer) / parts);
        needs->gradient = larger_size(needs->gradient,
                                      units * depth_first_bytes_out(depth_first, layer) / parts);
        if (data_subsamples(layer))
            needs->subsampled = larger_size(needs->subsampled,
                                            units * depth_first_bytes_in(depth_first, layer) / 4);
        needs->scratch = larger_size(needs->scratch, filter_scratch(filter));
        sums += depth_first_sum_room(filter);
    }
    needs->sums = larger_size(needs->sums, sums * sizeof(float));
}

static struct needs needs_of(const struct depth_first *depth_first)
{
    const struct filter *filter = depth_first->filters[depth_first->stages.linear];
    int last = depth_first->stages.activations[depth_first->stages.last].conv;
    struct needs needs = {
        .gradient = depth_first_bytes_out(depth_first, &depth_first->network.layers[last]),
        .scratch = filter_scratch(filter),
        .sums = filter_weights(filter) * sizeof(float)};

    for (int i = 0; i < depth_first->stages.count; i++)
        need_of_stage(depth_first, i, &needs);
    return needs;
}

static void wish_for_lane(struct depth_first *depth_first, struct lane *lane,
                          const struct needs *needs, struct wishes *wishes)
{
    size_t row = (size_t)depth_first->network.layers[depth_first->stages.linear].out_channels *
                 sizeof(float);
    int end = 2 * depth_first->stages.count;

    memory_wish(wishes, &lane->input, needs->input, 0, end);
    memory_wish(wishes, &lane->gradient, needs->gradient, 0, end);
    memory_wish(wishes, &lane->input_gradient[0], needs->input, 0, end);
    memory_wish(wishes, &lane->input_gradient[1], needs->input, 0, end);
    memory_wish(wishes, &lane->subsampled, needs->subsampled, 0, end);
    memory_wish(wishes, &lane->scratch, needs->scratch, 0, end);
    memory_wish(wishes, (void **)&lane->weight_sums[0], needs->sums, 0, end);
    memory_wish(wishes, (void **)&lane->weight_sums[1], needs->sums, 0, end);
    memory_wish(wishes, (void **)&lane->bias_sum, row, 0, end);
    memory_wish(wishes, (void **)&lane->row, row, 0, end);
}

static bool memory_grant(const struct wishes *wishes, struct error *err)
{
    if (!arena_take(wishes->arena, err))
        return false;
    for (int i = 0; i < wishes->count; i++)
        *wishes->list[i].place = arena_at(wishes->arena, wishes->list[i].number);
    return true;
}

/* A gradient without a buffer of its own overwrites the activation it belongs to. */
static void place_gradients(struct depth_first *depth_first)
{
    for (int i = 0; i < depth_first->stages.activation_count; i++) {
        if (!depth_first->gradients[i])
            depth_first->gradients[i] = depth_first->kept[i];
        assert(depth_first->gradients[i]);
    }
}

static void place_packed(struct depth_first *depth_first)
{
    for (int i = 0; i < depth_first->network.count; i++)
        for (int k = 0; k < FILTER_DIRECTIONS; k++)
            if (depth_first->packed[i][k])
                filter_place(depth_first->filters[i], (enum conv_direction)k,
                             depth_first->packed[i][k]);
}

/* What is written when net_parameters() shows the gradients: other weights are there already. */
static size_t shown_later(const struct depth_first *depth_first)
{
    size_t numbers = 0;

    for (int i = 0; i < depth_first->parameters->count; i++)
        numbers += depth_first->parameters->list[i].count;
    return depth_first->options.keep_gradients ? numbers * sizeof(float) : 0;
}

static bool check_memory(const struct depth_first *depth_first, size_t bytes, struct error *err)
{
    double free_bytes = (double)host_free_memory();

    if ((double)bytes > free_bytes)
        return error_set(err, ERROR_INVALID, "batch_size",
                         "%ld needs %.1f GiB of memory, %.1f GiB are free",
                         depth_first->options.batch, (double)bytes / GIB, free_bytes / GIB);
    return true;
}

bool depth_first_take_memory(struct depth_first *depth_first, struct error *err)
{
    const struct layer *first = &depth_first->network.layers[0];
    size_t numbers = (size_t)(depth_first->options.batch * first->in_channels) *
                     (size_t)(first->in_size * first->in_size);
    const struct needs needs = needs_of(depth_first);
    struct wishes batch = {.arena = &depth_first->arena};

    wish_for_batch(depth_first, &batch);
    arena_lay_out(&depth_first->arena);
    depth_first->memory = depth_first->arena.total;
    for (int i = 0; i < depth_first->lane_count; i++) {
        struct wishes own = {.arena = &depth_first->lanes[i].arena};

        wish_for_lane(depth_first, &depth_first->lanes[i], &needs, &own);
        arena_lay_out(&depth_first->lanes[i].arena);
        depth_first->memory += depth_first->lanes[i].arena.total;
        if (!check_memory(depth_first, depth_first->memory + shown_later(depth_first), err) ||
            !memory_grant(&own, err))
            return false;
    }
    if (!memory_grant(&batch, err))
        return false;
    place_gradients(depth_first);
    place_packed(depth_first);
    tensor_init_images(depth_first->source,
                       numbers * (size_t)joiner_rank(depth_first->options.joiner), numbers,
                       depth_first->options.seed);
    return true;
}
