#include "engine/train/depth_first/depth_first_forward.h"

#include "engine/train/depth_first/depth_first_activation.h"
#include "engine/train/depth_first/depth_first_update.h"

/* Of a result that may still be near when the next stage begins: about a second cache. */
#define NEAR_BYTES ((size_t)2 << 20)

/* Whether a thread's part of the layer's output is larger than its caches may keep until the next
 * stage reads it. */
static bool outgrows_cache(const struct lane *lane, const struct layer *layer)
{
    size_t images = (size_t)(lane->end_image - lane->first_image);

    return images * depth_first_bytes_out(lane->depth_first, layer) > NEAR_BYTES;
}

static bool forward_chunk(const struct chunk *chunk, struct error *err)
{
    struct depth_first *depth_first = chunk->lane->depth_first;
    struct filter_call call = {chunk->lane->index, chunk->count, chunk->lane->scratch, false};
    void *input = depth_first_input(chunk, true);

    for (int i = 0; i < chunk->stage->count; i++) {
        int conv = chunk->stage->convs[i];
        const struct layer *layer = &depth_first->network.layers[conv];
        const struct rows rows = rows_out(chunk, layer);
        const struct conv_end end = {
            .kind = CONV_SUMS,
            .result = chunk_of(chunk, depth_first->outputs[conv], rows),
            .sums = norm_at(depth_first->norms[conv], chunk->lane->index)->sums};

        assert(layer->in_channels ==
               depth_first->network.layers[chunk->stage->convs[0]].in_channels);
        call.past_cache = outgrows_cache(chunk->lane, layer);
        if (!filter_run(depth_first->filters[conv], &call, CONV_FORWARD,
                        depth_first_input_of(chunk, layer, input), &end, err))
            return false;
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
        depth_first_pack(lane, i + 1);
        team_meet(depth_first->team);
        for (int k = 0; k < stage->count; k++)
            norm_finish_forward(depth_first->norms[stage->convs[k]], lane->index);
    }
}
