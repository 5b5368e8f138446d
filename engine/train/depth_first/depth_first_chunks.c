#include "engine/train/depth_first/depth_first_chunks.h"

#include "engine/train/threads/host.h"

long depth_first_chunk_count(const struct lane *lane, const struct cut *cut)
{
    long units = (lane->end_image - lane->first_image) * cut->parts;

    return (units + cut->chunk - 1) / cut->chunk;
}

struct chunk depth_first_chunk_at(struct lane *lane, int index, long number)
{
    const struct cut *cut = &lane->depth_first->cuts[index];
    long first = lane->first_image * cut->parts + number * cut->chunk;
    long left = lane->end_image * cut->parts - first;

    assert(index >= 0 && index < lane->depth_first->stages.count);
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
    long count = depth_first_chunk_count(lane, &lane->depth_first->cuts[index]);
    long long start = host_clock_ns();

    for (long number = 0; number < count; number++) {
        const struct chunk chunk = depth_first_chunk_at(lane, index, number);

        if (!work(&chunk, &lane->err))
            return false;
    }
    lane->stage_ns[index] += host_clock_ns() - start;
    return true;
}
