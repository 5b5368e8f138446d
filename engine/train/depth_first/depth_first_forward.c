/* Forward through the stages. For each chunk, the thread makes the activation, convolves it, and
 * sums the output for the next batch-norm, all while the chunk is in cache. */
#include "common/cleanup.h"
#include "engine/train/depth_first/depth_first.h"
#include "engine/train/threads/host.h"

struct chunk depth_first_chunk_at(struct lane *lane, int index, long number)
{
    const struct cut *cut = &lane->depth_first->cuts[index];
    long first = lane->first_image * cut->parts + number * cut->chunk;
    long left = lane->end_image * cut->parts - first;

    assert(number >= 0 && left > 0);
    return (struct chunk){.lane = lane,
                          .stage = &lane->depth_first->stages.list[index],
                          .cut = cut,
                          .first = first,
                          .count = left < cut->chunk ? left : cut->chunk};
}

bool depth_first_chunks(struct lane *lane, int index,
                        bool (*work)(const struct chunk *chunk, struct error *err))
{
    const struct cut *cut = &lane->depth_first->cuts[index];
    long units = (lane->end_image - lane->first_image) * cut->parts;
    long long start = host_clock_ns();

    for (long number = 0; number * cut->chunk < units; number++) {
        const struct chunk chunk = depth_first_chunk_at(lane, index, number);

        if (!work(&chunk, &lane->err))
            return false;
    }
    lane->stage_ns[index] += host_clock_ns() - start;
    return true;
}

struct pass_pool depth_first_pool_of(const struct chunk *chunk,
                                     const struct activation *activation, long image)
{
    struct depth_first *depth_first = chunk->lane->depth_first;
    const struct layer *layer = &depth_first->network.layers[activation->pool];
    const struct norm_lane *norm =
        norm_at(depth_first->norms[activation->conv], chunk->lane->index);
    long outputs = (long)layer->out_size * layer->out_size * layer->out_channels;

    return (struct pass_pool){.size = layer->in_size,
                              .channels = layer->in_channels,
                              .values = (char *)depth_first->outputs[activation->conv] +
                                        (size_t)image * depth_first_bytes_in(depth_first, layer),
                              .affine = norm->affine,
                              .mean = norm->mean,
                              .chosen = depth_first->chosen + image * outputs};
}

static void pool_images(const struct chunk *chunk, const struct activation *activation,
                        void *result)
{
    struct depth_first *depth_first = chunk->lane->depth_first;
    size_t bytes =
        depth_first_bytes_out(depth_first, &depth_first->network.layers[activation->pool]);

    for (long i = 0; i < chunk->count; i++) {
        const struct pass_pool pool = depth_first_pool_of(chunk, activation, chunk->first + i);

        depth_first->passes->pool(&pool, (char *)result + (size_t)i * bytes);
    }
}

void depth_first_activate(const struct chunk *chunk, int index, struct rows rows, void *result)
{
    struct depth_first *depth_first = chunk->lane->depth_first;
    const struct activation *activation = &depth_first->stages.activations[index];
    const struct norm_lane *norm =
        norm_at(depth_first->norms[activation->conv], chunk->lane->index);
    struct pass_join join;

    if (activation->pool >= 0) {
        pool_images(chunk, activation, result);
        return;
    }
    join = (struct pass_join){.values =
                                  chunk_of(chunk, depth_first->outputs[activation->conv], rows),
                              .affine = norm->affine};
    if (activation->adds >= 0) {
        join.shortcut = chunk_of(chunk, depth_first->kept[activation->adds], rows);
        depth_first->passes->join(&join, rows, result);
    } else if (activation->adds_conv >= 0) {
        join.shortcut = chunk_of(chunk, depth_first->outputs[activation->adds_conv], rows);
        join.shortcut_affine =
            norm_at(depth_first->norms[activation->adds_conv], chunk->lane->index)->affine;
        depth_first->passes->join(&join, rows, result);
    } else {
        depth_first->passes->activate(join.values, join.affine, rows, result);
    }
}

void *depth_first_input(const struct chunk *chunk, bool anew)
{
    struct depth_first *depth_first = chunk->lane->depth_first;
    int reads = chunk->stage->reads;
    const struct rows rows = rows_in(chunk, &depth_first->network.layers[chunk->stage->convs[0]]);
    void *place = chunk->lane->input;

    if (reads < 0)
        return chunk_of(chunk, depth_first->images, rows);
    if (depth_first->kept[reads])
        place = chunk_of(chunk, depth_first->kept[reads], rows);
    if (anew || !depth_first->kept[reads])
        depth_first_activate(chunk, reads, rows, place);
    return place;
}

/* Every second pixel of the chunk's images. */
static void *subsample(const struct chunk *chunk, const struct layer *layer, const void *input)
{
    struct depth_first *depth_first = chunk->lane->depth_first;
    size_t type = dnn_type_size(depth_first->options.type);
    size_t in = (size_t)(layer->in_size * layer->in_size * layer->in_channels) * type;
    size_t out = in / 4;

    assert(layer->in_size % 2 == 0 && layer->in_size == 2 * layer->out_size);
    assert(chunk->cut->parts == 1 && chunk->count <= chunk->cut->chunk);
    for (size_t i = 0; i < (size_t)chunk->count; i++)
        depth_first->passes->subsample((const char *)input + i * in, layer->in_size,
                                       layer->in_channels,
                                       (char *)chunk->lane->subsampled + i * out);
    return chunk->lane->subsampled;
}

void *depth_first_input_of(const struct chunk *chunk, const struct layer *layer, void *input)
{
    return subsamples(layer) ? subsample(chunk, layer, input) : input;
}

static bool forward_chunk(const struct chunk *chunk, struct error *err)
{
    struct depth_first *depth_first = chunk->lane->depth_first;
    const struct filter_call call = {chunk->lane->index, chunk->count, chunk->lane->scratch};
    void *input = depth_first_input(chunk, true);

    for (int i = 0; i < chunk->stage->count; i++) {
        int conv = chunk->stage->convs[i];
        const struct layer *layer = &depth_first->network.layers[conv];
        const struct rows rows = rows_out(chunk, layer);
        void *output = chunk_of(chunk, depth_first->outputs[conv], rows);

        assert(layer->in_channels ==
               depth_first->network.layers[chunk->stage->convs[0]].in_channels);
        if (!filter_forward(depth_first->filters[conv], &call,
                            depth_first_input_of(chunk, layer, input), output, err))
            return false;
        depth_first->passes->statistics(
            output, rows, norm_at(depth_first->norms[conv], chunk->lane->index)->sums);
    }
    return true;
}

void depth_first_forward(struct lane *lane)
{
    struct depth_first *depth_first = lane->depth_first;

    for (int i = 0; i < depth_first->stages.count; i++) {
        const struct stage *stage = &depth_first->stages.list[i];

        for (int k = 0; k < stage->count; k++)
            norm_start_forward(depth_first->norms[stage->convs[k]], lane->index);
        lane->ok = lane->ok && depth_first_chunks(lane, i, forward_chunk);
        team_meet(depth_first->team);
        for (int k = 0; k < stage->count; k++)
            norm_finish_forward(depth_first->norms[stage->convs[k]], lane->index);
    }
}
