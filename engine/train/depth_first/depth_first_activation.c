/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/depth_first/depth_first_activation.h"

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

/* Whether `rows` are the chunk's part of the activation; a release does not ask. */
__attribute__((unused)) static bool
rows_agree(const struct chunk *chunk, const struct activation *activation, struct rows rows)
{
    const struct layer *layer =
        &chunk->lane->depth_first->network
             .layers[activation->pool >= 0 ? activation->pool : activation->conv];
    const struct rows made = rows_out(chunk, layer);

    return rows.count == made.count && rows.channels == made.channels;
}

/* What an activation adds: it is there, or is made in `result`. */
static const void *activation_shortcut(const struct chunk *chunk, int index, struct rows rows,
                                       bool forward, void *result)
{
    struct depth_first *depth_first = chunk->lane->depth_first;

    if (forward || !depth_first->stages.activations[index].again)
        return chunk_of(chunk, depth_first->kept[index], rows);
    depth_first_activate(chunk, index, rows, forward, result);
    return result;
}

void depth_first_activate(const struct chunk *chunk, int index, struct rows rows, bool forward,
                          void *result)
{
    struct depth_first *depth_first = chunk->lane->depth_first;
    const struct activation *activation = &depth_first->stages.activations[index];
    const struct norm_lane *norm =
        norm_at(depth_first->norms[activation->conv], chunk->lane->index);
    struct pass_join join;

    assert(rows_agree(chunk, activation, rows));
    if (activation->pool >= 0) {
        pool_images(chunk, activation, result);
        return;
    }
    join = (struct pass_join){.values =
                                  chunk_of(chunk, depth_first->outputs[activation->conv], rows),
                              .affine = norm->affine};
    if (activation->adds >= 0) {
        join.shortcut = activation_shortcut(chunk, activation->adds, rows, forward, result);
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

void *depth_first_input(const struct chunk *chunk, bool forward)
{
    struct depth_first *depth_first = chunk->lane->depth_first;
    int reads = chunk->stage->reads;
    const struct rows rows = rows_in(chunk, &depth_first->network.layers[chunk->stage->convs[0]]);
    void *place = chunk->lane->input;
    bool kept;

    if (reads < 0)
        return chunk_of(chunk, depth_first->images, rows);
    kept = depth_first->kept[reads] && (forward || !depth_first->stages.activations[reads].again);
    if (kept)
        place = chunk_of(chunk, depth_first->kept[reads], rows);
    if (forward || !kept)
        depth_first_activate(chunk, reads, rows, forward, place);
    return place;
}

/* Every second pixel of the chunk's images. */
static void *activation_subsample(const struct chunk *chunk, const struct layer *layer,
                                  const void *input)
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
    return data_subsamples(layer) ? activation_subsample(chunk, layer, input) : input;
}
