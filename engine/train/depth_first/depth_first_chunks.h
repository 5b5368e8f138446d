/* A thread's images in chunks. A chunk is worked at once, so that it stays in cache. */
#pragma once

#include "engine/train/depth_first/depth_first_data.h"

/* A stage's work on units [first, first + count). */
struct chunk {
    struct lane *lane;
    const struct stage *stage;
    const struct cut *cut;
    long first, count;
};

/* The chunk's rows in what layer `layer` reads: (n * H * H / parts, C); and writes:
 * (n * P * P / parts, K). */
static inline struct rows rows_in(const struct chunk *chunk, const struct layer *layer)
{
    return (struct rows){chunk->count * (layer->in_size * layer->in_size / chunk->cut->parts),
                         layer->in_channels};
}

static inline struct rows rows_out(const struct chunk *chunk, const struct layer *layer)
{
    return (struct rows){chunk->count * (layer->out_size * layer->out_size / chunk->cut->parts),
                         layer->out_channels};
}

/* The chunk's first number in a buffer of the whole batch; the chunk covers `rows` of it. */
static inline void *chunk_of(const struct chunk *chunk, void *buffer, struct rows rows)
{
    size_t type = dnn_type_size(chunk->lane->depth_first->options.type);

    assert(buffer && chunk->count > 0 && rows.count % chunk->count == 0);
    return (char *)buffer +
           (size_t)(chunk->first * (rows.count / chunk->count) * rows.channels) * type;
}

/* How many chunks the thread's images are, cut so. */
long depth_first_chunk_count(const struct lane *lane, const struct cut *cut);

/* The number-th chunk of the thread's images in stage `stage`. */
struct chunk depth_first_chunk_at(struct lane *lane, int stage, long number);

/* Calls `work` for each chunk of the thread's images in stage `stage`, until it fails. */
bool depth_first_chunks(struct lane *lane, int stage,
                        bool (*work)(const struct chunk *chunk, struct error *err));
