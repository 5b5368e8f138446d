/* Memory of the depth-first plan. Buffers live from the first to the last time that a step needs
 * them: forward through the stages are the times 0, 1, ..., then the head, and then back through
 * the stages. */
#include "common/cleanup.h"
#include "engine/train/depth_first/depth_first.h"
#include "engine/train/networks/tensor_init.h"
#include "engine/train/threads/host.h"

#include <math.h>

static int time_back(const struct fused *fused, int stage)
{
    return 2 * fused->stages.count - stage;
}

size_t fused_bytes_in(const struct fused *fused, const struct layer *layer)
{
    return (size_t)(layer->in_size * layer->in_size * layer->in_channels) *
           dnn_type_size(fused->options.type);
}

size_t fused_bytes_out(const struct fused *fused, const struct layer *layer)
{
    return (size_t)(layer->out_size * layer->out_size * layer->out_channels) *
           dnn_type_size(fused->options.type);
}

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

static void wish(struct wishes *wishes, void **place, size_t bytes, int first, int last)
{
    wishes->list[wishes->count++] =
        (struct wish){place, arena_ask(wishes->arena, bytes, first, last)};
}

/* The stage that convolution `conv` is in. */
static int stage_of(const struct fused *fused, int conv)
{
    for (int i = 0; i < fused->stages.count; i++)
        for (int k = 0; k < fused->stages.list[i].count; k++)
            if (fused->stages.list[i].convs[k] == conv)
                return i;
    return -1;
}

/* The last time that somebody reads the gradient of an activation. */
static int last_of_gradient(const struct fused *fused, const struct activation *activation)
{
    int last = time_back(fused, stage_of(fused, activation->conv));

    if (activation->adds_conv >= 0)
        last = (int)fmax(last, time_back(fused, stage_of(fused, activation->adds_conv)));
    if (activation->adds >= 0)
        last = (int)fmax(last, time_back(fused, fused->reader[activation->adds]));
    return last;
}

static void wish_for_activation(struct fused *fused, int index, struct wishes *wishes)
{
    const struct activation *activation = &fused->stages.activations[index];
    const struct layer *conv = &fused->network.layers[activation->conv];
    size_t batch = (size_t)fused->options.batch, bytes = batch * fused_bytes_out(fused, conv);
    int reader = fused->reader[index], head = fused->stages.count;
    int made = reader < 0 ? head : reader, back = reader < 0 ? head : time_back(fused, reader);
    int last = last_of_gradient(fused, activation);

    if (activation->pool >= 0) {
        const struct layer *pool = &fused->network.layers[activation->pool];
        size_t numbers =
            batch * fused_bytes_out(fused, pool) / dnn_type_size(fused->options.type);

        wish(wishes, &fused->kept[index], batch * fused_bytes_out(fused, pool), made, back);
        wish(wishes, (void **)&fused->chosen, numbers, made, back);
    } else if (activation->kept) {
        wish(wishes, &fused->kept[index], bytes, made, last > back ? last : back);
        return; /* its gradient takes its place */
    }
    wish(wishes, &fused->gradients[index], bytes, back, last);
}

static void wish_for_batch(struct fused *fused, struct wishes *wishes)
{
    const struct layer *first = &fused->network.layers[0];
    const struct layer *linear = &fused->network.layers[fused->stages.linear];
    size_t batch = (size_t)fused->options.batch;
    int end = 2 * fused->stages.count;

    wish(wishes, &fused->images, batch * fused_bytes_in(fused, first), 0, end);
    if (fused->options.input_workers > 0)
        wish(wishes, &fused->next_images, batch * fused_bytes_in(fused, first), 0, end);
    wish(wishes, (void **)&fused->source,
         batch * (size_t)(first->in_size * first->in_size * first->in_channels) * sizeof(float),
         0, end);
    wish(wishes, &fused->means, batch * fused_bytes_in(fused, linear), 0, end);
    wish(wishes, &fused->mean_gradients, batch * fused_bytes_in(fused, linear), 0, end);
    wish(wishes, &fused->logits, batch * fused_bytes_out(fused, linear), 0, end);
    wish(wishes, &fused->logit_gradients, batch * fused_bytes_out(fused, linear), 0, end);
    wish(wishes, (void **)&fused->shown, batch * (size_t)linear->out_channels * sizeof(float), 0,
         end);
    wish(wishes, (void **)&fused->losses, batch * sizeof(double), 0, end);
    for (int i = 0; i < fused->stages.count; i++)
        for (int k = 0; k < fused->stages.list[i].count; k++) {
            int conv = fused->stages.list[i].convs[k];

            wish(wishes, &fused->outputs[conv],
                 batch * fused_bytes_out(fused, &fused->network.layers[conv]), i,
                 time_back(fused, i));
        }
    for (int i = 0; i < fused->stages.activation_count; i++)
        wish_for_activation(fused, i, wishes);
}

/* What one thread needs at most of each of its buffers. */
struct needs {
    size_t input, gradient, subsampled, scratch, sums;
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void need_of_stage(const struct fused *fused, int index, struct needs *needs)
{
    const struct stage *stage = &fused->stages.list[index];
    const struct cut *cut = &fused->cuts[index];
    size_t sums = 0;

    for (int k = 0; k < stage->count; k++) {
        const struct layer *layer = &fused->network.layers[stage->convs[k]];
        const struct filter *filter = fused->filters[stage->convs[k]];
        size_t units = (size_t)cut->chunk, parts = (size_t)cut->parts;

        needs->input = larger(needs->input, units * fused_bytes_in(fused, layer) / parts);
        needs->gradient = larger(needs->gradient, units * fused_bytes_out(fused, layer) / parts);
        if (subsamples(layer))
            needs->subsampled =
                larger(needs->subsampled, units * fused_bytes_in(fused, layer) / 4);
        needs->scratch = larger(needs->scratch, filter_scratch(filter));
        sums += (filter_weights(filter) + 15) & ~(size_t)15;
    }
    needs->sums = larger(needs->sums, sums * sizeof(float));
}

static struct needs needs_of(const struct fused *fused)
{
    const struct filter *filter = fused->filters[fused->stages.linear];
    int last = fused->stages.activations[fused->stages.last].conv;
    struct needs needs = {.gradient = fused_bytes_out(fused, &fused->network.layers[last]),
                          .scratch = filter_scratch(filter),
                          .sums = filter_weights(filter) * sizeof(float)};

    for (int i = 0; i < fused->stages.count; i++)
        need_of_stage(fused, i, &needs);
    return needs;
}

static void wish_for_lane(struct fused *fused, struct lane *lane, const struct needs *needs,
                          struct wishes *wishes)
{
    size_t row = (size_t)fused->network.layers[fused->stages.linear].out_channels * sizeof(float);
    int end = 2 * fused->stages.count;

    wish(wishes, &lane->input, needs->input, 0, end);
    wish(wishes, &lane->gradient, needs->gradient, 0, end);
    wish(wishes, &lane->input_gradient[0], needs->input, 0, end);
    wish(wishes, &lane->input_gradient[1], needs->input, 0, end);
    wish(wishes, &lane->subsampled, needs->subsampled, 0, end);
    wish(wishes, &lane->scratch, needs->scratch, 0, end);
    wish(wishes, (void **)&lane->weight_sums[0], needs->sums, 0, end);
    wish(wishes, (void **)&lane->weight_sums[1], needs->sums, 0, end);
    wish(wishes, (void **)&lane->bias_sum, row, 0, end);
    wish(wishes, (void **)&lane->row, row, 0, end);
}

static bool grant(const struct wishes *wishes, struct error *err)
{
    if (!arena_take(wishes->arena, err))
        return false;
    for (int i = 0; i < wishes->count; i++)
        *wishes->list[i].place = arena_at(wishes->arena, wishes->list[i].number);
    return true;
}

/* What a gradient takes the place of is known only now. */
static void place_gradients(struct fused *fused)
{
    for (int i = 0; i < fused->stages.activation_count; i++)
        if (!fused->gradients[i])
            fused->gradients[i] = fused->kept[i];
}

static bool check_memory(const struct fused *fused, size_t bytes, struct error *err)
{
    double gib = 1024.0 * 1024 * 1024, free_bytes = (double)host_free_memory();

    if ((double)bytes > free_bytes)
        return error_set(err, ERROR_INVALID, "batch_size",
                         "%ld needs %.1f GiB of memory, %.1f GiB are free", fused->options.batch,
                         (double)bytes / gib, free_bytes / gib);
    return true;
}

bool fused_take_memory(struct fused *fused, struct error *err)
{
    const struct layer *first = &fused->network.layers[0];
    size_t numbers = (size_t)(fused->options.batch * first->in_channels) *
                     (size_t)(first->in_size * first->in_size);
    const struct needs needs = needs_of(fused);
    struct wishes batch = {.arena = &fused->arena};

    wish_for_batch(fused, &batch);
    arena_lay_out(&fused->arena);
    fused->memory = fused->arena.total;
    for (int i = 0; i < fused->lane_count; i++) {
        struct wishes own = {.arena = &fused->lanes[i].arena};

        wish_for_lane(fused, &fused->lanes[i], &needs, &own);
        arena_lay_out(&fused->lanes[i].arena);
        fused->memory += fused->lanes[i].arena.total;
        if (!check_memory(fused, fused->memory, err) || !grant(&own, err))
            return false;
    }
    if (!grant(&batch, err))
        return false;
    place_gradients(fused);
    recipe_fill(fused->source, numbers, "images", fused->options.seed, sqrtf(3), 0);
    return true;
}
