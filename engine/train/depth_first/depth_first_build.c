/* The operations of the depth-first plan, and how its stages are cut into chunks. */
#include "common/cleanup.h"
#include "engine/train/depth_first/depth_first.h"
#include "engine/train/threads/host.h"

#include <math.h>

/* Images that a 1x1 kernel reads can be cut into parts: it sees one pixel at a time. */
static bool can_be_cut(const struct fused *fused, const struct stage *stage)
{
    for (int i = 0; i < stage->count; i++) {
        const struct layer *layer = &fused->network.layers[stage->convs[i]];

        if (layer->kernel != 1 || layer->stride != 1)
            return false;
    }
    return stage->reads >= 0 && fused->stages.activations[stage->reads].pool < 0;
}

static struct cut cut_stage(const struct fused *fused, const struct stage *stage,
                            struct choice choice)
{
    double bytes = (double)choice.kilobytes * 1000;
    const struct layer *layer = &fused->network.layers[stage->convs[0]];
    double image = (double)fused_bytes_in(fused, layer);
    long most = (fused->options.batch + fused->lane_count - 1) / fused->lane_count, chunks;
    struct cut cut = {1, 1, choice.by_hand};

    for (int i = 0; i < stage->count; i++)
        image += (double)fused_bytes_out(fused, &fused->network.layers[stage->convs[i]]);
    if (can_be_cut(fused, stage))
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

enum wgrad_kind fused_hand(const struct fused *fused)
{
    if (fused->options.type != DNN_BF16 || fused->options.isa < CPU_AVX512_BF16)
        return WGRAD_PORTABLE;
    return fused->options.isa >= CPU_AMX ? WGRAD_AMX : WGRAD_AVX512_BF16;
}

bool fused_emulates(const struct fused *fused)
{
    return fused->options.type == DNN_BF16 && fused->options.isa < CPU_AVX512_BF16;
}

/* The sizes of chunk that threads will ask for. */
static void count_units(const struct fused *fused, struct cut cut, struct filter_shape *shape)
{
    shape->parts = cut.parts;
    for (int lane = 0; lane < fused->lane_count; lane++) {
        long units = (fused->lanes[lane].end_image - fused->lanes[lane].first_image) * cut.parts;
        const long asked[] = {units >= cut.chunk ? cut.chunk : 0, units % cut.chunk};

        for (size_t i = 0; i < COUNT(asked); i++) {
            bool known = asked[i] == 0;

            for (int k = 0; k < shape->count_kinds; k++)
                known = known || shape->counts[k] == asked[i];
            if (!known)
                shape->counts[shape->count_kinds++] = asked[i];
        }
    }
}

static bool make_filter(struct fused *fused, int index, struct cut cut, struct error *err)
{
    const struct filter_context context = {.dnn = fused->dnn,
                                           .passes = fused->passes,
                                           .parameters = fused->parameters,
                                           .keep_gradients = fused->options.keep_gradients,
                                           .momentum = fused->options.sgd.momentum != 0};
    struct layer *layer = &fused->computed[index];
    struct filter_shape shape = {.layer = layer,
                                 .type = fused->options.type,
                                 .emulated = fused_emulates(fused),
                                 .hand = fused_hand(fused)};

    *layer = fused->network.layers[index];
    if (subsamples(layer)) {
        layer->stride = 1;
        layer->in_size = layer->out_size;
    }
    shape.by_hand = cut.by_hand && shape.hand != WGRAD_PORTABLE &&
                    filter_can_by_hand(layer, shape.hand, fused->options.isa);
    count_units(fused, cut, &shape);
    fused->filters[index] = filter_new(&context, &shape, err);
    return fused->filters[index] != NULL;
}

static bool make_norm(struct fused *fused, int index, struct error *err)
{
    const struct layer *layer = &fused->network.layers[index];
    const struct norm_shape shape = {.channels = layer->out_channels,
                                     .count = (long long)fused->options.batch * layer->out_size *
                                              layer->out_size,
                                     .lanes = fused->lane_count};

    fused->norms[index] =
        norm_new(&shape, parameters_find(fused->parameters, layer->norm, "weight"),
                 parameters_find(fused->parameters, layer->norm, "bias"), err);
    return fused->norms[index] != NULL;
}

static bool make_operations(struct fused *fused, struct error *err)
{
    long most = (fused->options.batch + fused->lane_count - 1) / fused->lane_count;
    const struct cut head = {.parts = 1, .chunk = most};

    for (int i = 0; i < fused->stages.count; i++)
        for (int k = 0; k < fused->stages.list[i].count; k++) {
            int conv = fused->stages.list[i].convs[k];

            if (!make_filter(fused, conv, fused->cuts[i], err) || !make_norm(fused, conv, err))
                return false;
        }
    return make_filter(fused, fused->stages.linear, head, err);
}

static bool make_lanes(struct fused *fused, struct error *err)
{
    long batch = fused->options.batch, count;

    fused->lane_count = fused->options.threads;
    if (fused->lane_count > LANES_MAX)
        return error_set(err, ERROR_INVALID, "threads", "must be at most %d, got %d", LANES_MAX,
                         fused->lane_count);
    fused->lanes = calloc((size_t)fused->lane_count, sizeof *fused->lanes);
    if (!fused->lanes)
        return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    fused->group = fused_group_size(fused->lane_count, fused->options.group);
    count = fused->lane_count;
    for (long i = 0; i < count; i++)
        fused->lanes[i] = (struct lane){.fused = fused,
                                        .index = (int)i,
                                        .first_image = batch * i / count,
                                        .end_image = batch * (i + 1) / count};
    for (int i = 0; i < fused->lane_count; i += fused->group)
        fused->lanes[i].meeting.count =
            fused->lane_count - i < fused->group ? fused->lane_count - i : fused->group;
    return true;
}

static void find_readers(struct fused *fused)
{
    for (int i = 0; i < fused->stages.activation_count; i++)
        fused->reader[i] = -1;
    for (int i = 0; i < fused->stages.count; i++)
        if (fused->stages.list[i].reads >= 0)
            fused->reader[fused->stages.list[i].reads] = i;
}

bool fused_build(struct fused *fused, const struct plan *plan, struct error *err)
{
    host_set_threads(1); /* of oneDNN: an operation belongs to one of our own */
    if (!stages_of(&fused->network, &fused->stages, err) || !make_lanes(fused, err))
        return false;
    find_readers(fused);
    fused->head = (struct stage){.count = 1, .convs = {fused->stages.linear}};
    if (plan)
        fused->plan = *plan;
    else if (!fused_choose(fused, err))
        return false;
    for (int i = 0; i < fused->stages.count; i++)
        fused->cuts[i] = cut_stage(fused, &fused->stages.list[i], fused->plan.stages[i]);
    fused->passes = passes_for(fused->options.isa, fused->options.type);
    fused->dnn = dnn_open(fused->lane_count, err);
    if (!fused->dnn || !make_operations(fused, err) || !fused_take_memory(fused, err))
        return false;
    if (fused->options.input_workers > 0) {
        fused->feeder = feeder_new(fused->options.input_workers, fused_feed, fused, err);
        if (!fused->feeder)
            return false;
        feeder_start(fused->feeder);
    }
    fused->team = team_new(fused->lane_count, err);
    return fused->team != NULL;
}
