/* Forward through the stages: chunk by chunk, what is read is made, convolved, and summed for the
 * batch-norm behind while it is in cache. */
#include "common/cleanup.h"
#include "engine/train/depth_first/depth_first.h"
#include "engine/train/threads/host.h"

struct chunk fused_chunk_at(struct lane *lane, int index, long number)
{
    const struct cut *cut = &lane->fused->cuts[index];
    long first = lane->first_image * cut->parts + number * cut->chunk;
    long left = lane->end_image * cut->parts - first;

    return (struct chunk){.lane = lane,
                          .stage = &lane->fused->stages.list[index],
                          .cut = cut,
                          .first = first,
                          .count = left < cut->chunk ? left : cut->chunk};
}

bool fused_chunks(struct lane *lane, int index,
                  bool (*work)(const struct chunk *chunk, struct error *err))
{
    const struct cut *cut = &lane->fused->cuts[index];
    long units = (lane->end_image - lane->first_image) * cut->parts;
    long long start = host_clock_ns();

    for (long number = 0; number * cut->chunk < units; number++) {
        const struct chunk chunk = fused_chunk_at(lane, index, number);

        if (!work(&chunk, &lane->err))
            return false;
    }
    lane->stage_ns[index] += host_clock_ns() - start;
    return true;
}

struct pass_pool fused_pool_of(const struct chunk *chunk, const struct activation *activation,
                               long image)
{
    struct fused *fused = chunk->lane->fused;
    const struct layer *layer = &fused->network.layers[activation->pool];
    const struct norm_lane *norm = norm_at(fused->norms[activation->conv], chunk->lane->index);
    long outputs = (long)layer->out_size * layer->out_size * layer->out_channels;

    return (struct pass_pool){.size = layer->in_size,
                              .channels = layer->in_channels,
                              .values = (char *)fused->outputs[activation->conv] +
                                        (size_t)image * fused_bytes_in(fused, layer),
                              .affine = norm->affine,
                              .mean = norm->mean,
                              .chosen = fused->chosen + image * outputs};
}

static void pool_images(const struct chunk *chunk, const struct activation *activation,
                        void *result)
{
    struct fused *fused = chunk->lane->fused;
    size_t bytes = fused_bytes_out(fused, &fused->network.layers[activation->pool]);

    for (long i = 0; i < chunk->count; i++) {
        const struct pass_pool pool = fused_pool_of(chunk, activation, chunk->first + i);

        fused->passes->pool(&pool, (char *)result + (size_t)i * bytes);
    }
}

void fused_activate(const struct chunk *chunk, int index, struct rows rows, void *result)
{
    struct fused *fused = chunk->lane->fused;
    const struct activation *activation = &fused->stages.activations[index];
    const struct norm_lane *norm = norm_at(fused->norms[activation->conv], chunk->lane->index);
    struct pass_join join;

    if (activation->pool >= 0) {
        pool_images(chunk, activation, result);
        return;
    }
    join = (struct pass_join){.values = chunk_of(chunk, fused->outputs[activation->conv], rows),
                              .affine = norm->affine};
    if (activation->adds >= 0) {
        join.shortcut = chunk_of(chunk, fused->kept[activation->adds], rows);
        fused->passes->join(&join, rows, result);
    } else if (activation->adds_conv >= 0) {
        join.shortcut = chunk_of(chunk, fused->outputs[activation->adds_conv], rows);
        join.shortcut_affine =
            norm_at(fused->norms[activation->adds_conv], chunk->lane->index)->affine;
        fused->passes->join(&join, rows, result);
    } else {
        fused->passes->activate(join.values, join.affine, rows, result);
    }
}

void *fused_input(const struct chunk *chunk, bool anew)
{
    struct fused *fused = chunk->lane->fused;
    int reads = chunk->stage->reads;
    const struct rows rows = rows_in(chunk, &fused->network.layers[chunk->stage->convs[0]]);
    void *place = chunk->lane->input;

    if (reads < 0)
        return chunk_of(chunk, fused->images, rows);
    if (fused->kept[reads])
        place = chunk_of(chunk, fused->kept[reads], rows);
    if (anew || !fused->kept[reads])
        fused_activate(chunk, reads, rows, place);
    return place;
}

/* Every second pixel of the chunk's images. */
static void *subsample(const struct chunk *chunk, const struct layer *layer, const void *input)
{
    struct fused *fused = chunk->lane->fused;
    size_t type = dnn_type_size(fused->options.type);
    size_t in = (size_t)(layer->in_size * layer->in_size * layer->in_channels) * type;
    size_t out = in / 4;

    for (size_t i = 0; i < (size_t)chunk->count; i++)
        fused->passes->subsample((const char *)input + i * in, layer->in_size, layer->in_channels,
                                 (char *)chunk->lane->subsampled + i * out);
    return chunk->lane->subsampled;
}

void *fused_input_of(const struct chunk *chunk, const struct layer *layer, void *input)
{
    return subsamples(layer) ? subsample(chunk, layer, input) : input;
}

static bool forward_chunk(const struct chunk *chunk, struct error *err)
{
    struct fused *fused = chunk->lane->fused;
    const struct filter_call call = {chunk->lane->index, chunk->count, chunk->lane->scratch};
    void *input = fused_input(chunk, true);

    for (int i = 0; i < chunk->stage->count; i++) {
        int conv = chunk->stage->convs[i];
        const struct layer *layer = &fused->network.layers[conv];
        const struct rows rows = rows_out(chunk, layer);
        void *output = chunk_of(chunk, fused->outputs[conv], rows);

        if (!filter_forward(fused->filters[conv], &call, fused_input_of(chunk, layer, input),
                            output, err))
            return false;
        fused->passes->statistics(output, rows,
                                  norm_at(fused->norms[conv], chunk->lane->index)->sums);
    }
    return true;
}

void fused_forward(struct lane *lane)
{
    struct fused *fused = lane->fused;

    for (int i = 0; i < fused->stages.count; i++) {
        const struct stage *stage = &fused->stages.list[i];

        for (int k = 0; k < stage->count; k++)
            norm_start_forward(fused->norms[stage->convs[k]], lane->index);
        lane->ok = lane->ok && fused_chunks(lane, i, forward_chunk);
        team_meet(fused->team);
        for (int k = 0; k < stage->count; k++)
            norm_finish_forward(fused->norms[stage->convs[k]], lane->index);
    }
}
