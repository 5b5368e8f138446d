/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/depth_first/depth_first_build.h"

#include "common/cleanup.h"
#include "common/hash.h"
#include "common/memory.h"
#include "engine/train/depth_first/depth_first_groups.h"
#include "engine/train/depth_first/depth_first_memory.h"
#include "engine/train/depth_first/depth_first_step.h"
#include "engine/train/depth_first/depth_first_update.h"
#include "engine/train/threads/host.h"

#include <math.h>

/* So many blocks' outputs in a row are made again on the way back. One saves half of the memory
 * of these outputs and reads little that is not read anyway. Three save another 6 MiB an image of
 * ResNet-50 in f32, and read 23 more. In bf16, memory is half and a step waits for it more. */
#define AGAIN_F32 3
#define AGAIN_BF16 1

/* Images that a 1x1 kernel reads can be cut into parts: it sees one pixel at a time. */
static bool can_be_cut(const struct depth_first *depth_first, const struct stage *stage)
{
    for (int i = 0; i < stage->count; i++) {
        const struct layer *layer = &depth_first->network.layers[stage->convs[i]];

        if (layer->kernel != 1 || layer->stride != 1)
            return false;
    }
    return stage->reads >= 0 && depth_first->stages.activations[stage->reads].pool < 0;
}

static struct cut cut_stage(const struct depth_first *depth_first, const struct stage *stage,
                            struct choice choice)
{
    double bytes = (double)choice.kilobytes * 1000;
    const struct layer *layer = &depth_first->network.layers[stage->convs[0]];
    double image = (double)depth_first_bytes_in(depth_first, layer);
    long most =
             (depth_first->options.batch + depth_first->lane_count - 1) / depth_first->lane_count,
         chunks;
    struct cut cut = {1, 1, choice.by_hand};

    for (int i = 0; i < stage->count; i++)
        image += (double)depth_first_bytes_out(depth_first,
                                               &depth_first->network.layers[stage->convs[i]]);
    if (can_be_cut(depth_first, stage))
        while (image / (double)cut.parts > bytes && cut.parts < layer->in_size / 2)
            do
                cut.parts++;
            while (layer->in_size % cut.parts != 0);
    cut.chunk = (long)fmin(fmax(bytes / image, 1), (double)most);
    /* Chunks of about the same size. */
    chunks = (most + cut.chunk - 1) / cut.chunk;
    if (cut.parts == 1)
        cut.chunk = (most + chunks - 1) / chunks;
    return cut;
}

/* The sizes of chunk that threads will ask for. */
static void count_units(const struct depth_first *depth_first, struct cut cut,
                        struct filter_shape *shape)
{
    shape->parts = cut.parts;
    for (int lane = 0; lane < depth_first->lane_count; lane++) {
        long units = (depth_first->lanes[lane].end_image - depth_first->lanes[lane].first_image) *
                     cut.parts;
        const long asked[] = {units >= cut.chunk ? cut.chunk : 0, units % cut.chunk};

        for (size_t i = 0; i < COUNT(asked); i++) {
            bool known = asked[i] == 0;

            for (int k = 0; k < shape->count_kinds; k++)
                known = known || shape->counts[k] == asked[i];
            assert(known || shape->count_kinds < FILTER_COUNTS);
            if (!known)
                shape->counts[shape->count_kinds++] = asked[i];
        }
    }
}

static bool make_filter(struct depth_first *depth_first, int index, struct cut cut,
                        struct error *err)
{
    const struct filter_context context = {.dnn = depth_first->dnn,
                                           .passes = depth_first->passes,
                                           .parameters = depth_first->parameters,
                                           .keep_gradients =
                                               depth_first->options.keep_gradients ||
                                               joiner_joins(depth_first->options.joiner),
                                           .momentum = depth_first->options.sgd.momentum != 0};
    struct layer *layer = &depth_first->computed[index];
    struct filter_shape shape = {.layer = layer,
                                 .type = depth_first->options.type,
                                 .emulated = depth_first_emulates(&depth_first->options)};

    *layer = depth_first->network.layers[index];
    if (data_subsamples(layer)) {
        layer->stride = 1;
        layer->in_size = layer->out_size;
    }
    if (cut.by_hand && !shape.emulated)
        filter_choose(&shape, depth_first_hand(&depth_first->options), depth_first->options.isa);
    count_units(depth_first, cut, &shape);
    depth_first->filters[index] = filter_new(&context, &shape, err);
    return depth_first->filters[index] != NULL;
}

static bool make_norm(struct depth_first *depth_first, int index, struct error *err)
{
    const struct layer *layer = &depth_first->network.layers[index];
    const struct norm_shape shape = {.channels = layer->out_channels,
                                     .count = (long long)depth_first->options.batch *
                                              layer->out_size * layer->out_size,
                                     .lanes = depth_first->lane_count};

    assert(!depth_first->norms[index]);
    depth_first->norms[index] =
        norm_new(&shape, parameters_find(depth_first->parameters, layer->norm, "weight"),
                 parameters_find(depth_first->parameters, layer->norm, "bias"), err);
    return depth_first->norms[index] != NULL;
}

static bool make_operations(struct depth_first *depth_first, struct error *err)
{
    long most =
        (depth_first->options.batch + depth_first->lane_count - 1) / depth_first->lane_count;
    const struct cut head = {.parts = 1, .chunk = most};

    for (int i = 0; i < depth_first->stages.count; i++)
        for (int k = 0; k < depth_first->stages.list[i].count; k++) {
            int conv = depth_first->stages.list[i].convs[k];

            if (!make_filter(depth_first, conv, depth_first->cuts[i], err) ||
                !make_norm(depth_first, conv, err))
                return false;
        }
    return make_filter(depth_first, depth_first->stages.linear, head, err);
}

static bool make_lanes(struct depth_first *depth_first, struct error *err)
{
    long batch = depth_first->options.batch, count;

    assert(batch > 0 && depth_first->options.threads > 0);
    depth_first->lane_count = depth_first->options.threads;
    if (depth_first->lane_count > LANES_MAX)
        return error_set(err, ERROR_INVALID, "threads", "must be at most %d, got %d", LANES_MAX,
                         depth_first->lane_count);
    depth_first->lanes = xcalloc((size_t)depth_first->lane_count, sizeof *depth_first->lanes);
    depth_first->group =
        depth_first_group_size(depth_first->lane_count, depth_first->options.group);
    count = depth_first->lane_count;
    for (long i = 0; i < count; i++)
        depth_first->lanes[i] = (struct lane){.depth_first = depth_first,
                                              .index = (int)i,
                                              .first_image = batch * i / count,
                                              .end_image = batch * (i + 1) / count};
    for (int i = 0; i < depth_first->lane_count; i += depth_first->group)
        depth_first->lanes[i].barrier.count = depth_first->lane_count - i < depth_first->group
                                                  ? depth_first->lane_count - i
                                                  : depth_first->group;
    return true;
}

static void find_readers(struct depth_first *depth_first)
{
    for (int i = 0; i < depth_first->stages.activation_count; i++)
        depth_first->reader[i] = -1;
    for (int i = 0; i < depth_first->stages.count; i++)
        if (depth_first->stages.list[i].reads >= 0)
            depth_first->reader[depth_first->stages.list[i].reads] = i;
}

static bool make_loader(struct depth_first *depth_first, struct error *err)
{
    if (depth_first->options.input_workers == 0)
        return true;
    depth_first->loader = batch_loader_new(depth_first->options.input_workers,
                                           depth_first_load_part, depth_first, err);
    if (!depth_first->loader)
        return false;
    batch_loader_start(depth_first->loader);
    return true;
}

/* Ranks add gradients number by number, so weights must lie alike in all of them. */
static bool agree_on_layouts(struct depth_first *depth_first, struct error *err)
{
    uint64_t hash = HASH_START;
    char text[32];

    if (!joiner_joins(depth_first->options.joiner))
        return true;
    for (int i = 0; i < depth_first->network.count; i++)
        if (depth_first->filters[i] && !filter_hash_layout(depth_first->filters[i], &hash, err))
            return false;
    depth_first->vectors = xcalloc(depth_first_vectors(depth_first), sizeof(float));
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    return joiner_agree(depth_first->options.joiner, "layout of the weights", text, err);
}

static bool depth_first_build_all(struct depth_first *depth_first, struct error *err)
{
    host_set_threads(1); /* of oneDNN: an operation belongs to one of our own */
    if (!stages_of(&depth_first->network, &depth_first->stages, err) ||
        !make_lanes(depth_first, err))
        return false;
    stages_make_again(&depth_first->stages,
                      depth_first->options.type == DNN_F32 ? AGAIN_F32 : AGAIN_BF16);
    find_readers(depth_first);
    depth_first->head = (struct stage){.count = 1, .convs = {depth_first->stages.linear}};
    assert(depth_first->plan.count == depth_first->stages.count);
    for (int i = 0; i < depth_first->stages.count; i++)
        depth_first->cuts[i] =
            cut_stage(depth_first, &depth_first->stages.list[i], depth_first->plan.stages[i]);
    depth_first->passes = passes_for(depth_first->options.isa, depth_first->options.type);
    depth_first->dnn = dnn_open(depth_first->lane_count, err);
    if (!depth_first->dnn || !make_operations(depth_first, err) ||
        !agree_on_layouts(depth_first, err) || !depth_first_take_memory(depth_first, err) ||
        !make_loader(depth_first, err))
        return false;
    depth_first_pack_first(depth_first);
    depth_first->team = team_new(depth_first->lane_count, err);
    return depth_first->team != NULL;
}

struct depth_first *depth_first_make(const struct network *network,
                                     const struct net_options *options,
                                     struct parameters *parameters, const struct plan *plan,
                                     struct error *err)
{
    struct depth_first *depth_first = xcalloc(1, sizeof *depth_first);

    depth_first->network = *network;
    depth_first->options = *options;
    depth_first->parameters = parameters;
    depth_first->plan = *plan;
    if (!depth_first_build_all(depth_first, err)) {
        depth_first_free(depth_first);
        return NULL;
    }
    return depth_first;
}

void depth_first_free(struct depth_first *depth_first)
{
    if (!depth_first)
        return;
    batch_loader_free(depth_first->loader);
    team_free(depth_first->team);
    for (int i = 0; i < depth_first->network.count; i++) {
        filter_free(depth_first->filters[i]);
        norm_free(depth_first->norms[i]);
    }
    dnn_close(depth_first->dnn);
    free(depth_first->vectors);
    arena_free(&depth_first->arena);
    for (int i = 0; depth_first->lanes && i < depth_first->lane_count; i++)
        arena_free(&depth_first->lanes[i].arena);
    free(depth_first->lanes);
    free(depth_first);
}
