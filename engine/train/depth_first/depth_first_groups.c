#include "engine/train/depth_first/depth_first_groups.h"

#include "engine/train/threads/host.h"

#define SUMS_MAX 16 /* more threads than this share */

/* The sums of all threads that are still worth having: about a third cache. Members of a group
 * read each other's images again and again, which does not pay for small weights and large
 * images. */
#define SUMS_BYTES ((size_t)64 << 20)

int depth_first_group_size(int threads, int wanted)
{
    if (wanted > 0)
        return wanted < threads ? wanted : threads;
    return (threads + SUMS_MAX - 1) / SUMS_MAX;
}

bool depth_first_grouped(const struct depth_first *depth_first, const struct stage *stage)
{
    size_t numbers = 0;

    for (int i = 0; i < stage->count; i++) {
        const struct filter *filter = depth_first->filters[stage->convs[i]];

        if (!filter_can_slice(filter))
            return false;
        numbers += filter_weights(filter);
    }
    return depth_first->group > 1 &&
           (depth_first->options.group > 0 ||
            numbers * sizeof(float) * (size_t)depth_first->lane_count > SUMS_BYTES);
}

struct lane *depth_first_leader(const struct lane *lane)
{
    return &lane->depth_first
                ->lanes[lane->index / lane->depth_first->group * lane->depth_first->group];
}

size_t depth_first_sum_room(const struct filter *filter)
{
    return (filter_weights(filter) + 15) & ~(size_t)15;
}

float *depth_first_sum(const struct lane *lane, const struct stage *stage, int which)
{
    const struct depth_first *depth_first = lane->depth_first;
    const struct stages *stages = &depth_first->stages;
    long turn = stage == &depth_first->head ? stages->count : stage - stages->list;
    float *at = lane->weight_sums[turn % 2];

    assert(turn >= 0 && turn <= stages->count);
    assert(at && which >= 0 && which < stage->count);
    for (int i = 0; i < which; i++)
        at += depth_first_sum_room(depth_first->filters[stage->convs[i]]);
    return at;
}

static int members_of(const struct lane *lane)
{
    int behind = lane->depth_first->lane_count - depth_first_leader(lane)->index;

    return behind < lane->depth_first->group ? behind : lane->depth_first->group;
}

/* A thread's slice of filter `which`, from what all members have to share. */
static bool add_slices(struct lane *lane, const struct stage *stage, int which, struct error *err)
{
    struct depth_first *depth_first = lane->depth_first;
    struct lane *leader = depth_first_leader(lane);
    int members = members_of(lane);
    struct filter_gradient work = {.sum = depth_first_sum(leader, stage, which),
                                   .first = lane->fresh,
                                   .slice = lane->index - leader->index,
                                   .slices = members};

    for (int i = 0; i < members; i++) {
        const struct share *share = &leader[i].share;
        const struct filter_call call = {lane->index, share->units, lane->scratch, false};

        if (share->units == 0)
            continue;
        work.input = share->input;
        work.gradient = share->gradient;
        if (!filter_backward_weights(depth_first->filters[stage->convs[which]], &call, &work,
                                     err))
            return false;
        work.first = false;
    }
    return true;
}

bool depth_first_share(struct lane *lane, const struct stage *stage, struct share share,
                       struct error *err)
{
    struct barrier *barrier = &depth_first_leader(lane)->barrier;
    int which = --lane->shares_left;
    bool ok;

    assert(which >= 0 && which < stage->count);
    assert(share.units == 0 || (share.input && share.gradient));
    lane->share = share;
    barrier_wait(barrier);
    ok = add_slices(lane, stage, which, err);
    barrier_wait(barrier); /* only now may others overwrite what they have shared */
    return ok;
}

bool depth_first_rounds(struct lane *lane, int index,
                        bool (*work)(const struct chunk *chunk, struct error *err))
{
    const struct stage *stage = &lane->depth_first->stages.list[index];
    const struct cut *cut = &lane->depth_first->cuts[index];
    const struct lane *leader = depth_first_leader(lane);
    long own = depth_first_chunk_count(lane, cut), rounds = 0;
    long long start = host_clock_ns();

    for (int i = 0; i < members_of(lane); i++) {
        long count = depth_first_chunk_count(&leader[i], cut);

        rounds = count > rounds ? count : rounds;
    }
    for (long round = 0; round < rounds; round++) {
        lane->fresh = round == 0;
        lane->shares_left = stage->count;
        if (lane->ok && round < own) {
            const struct chunk chunk = depth_first_chunk_at(lane, index, round);

            lane->ok = work(&chunk, &lane->err);
        }
        lane->fresh = round == 0;
        /* A thread without a chunk, or one that failed, still computes its slices. */
        while (lane->shares_left > 0)
            lane->ok = depth_first_share(lane, stage, (struct share){0}, &lane->err) && lane->ok;
        assert(lane->shares_left == 0); /* or the group would wait for ever */
    }
    lane->stage_ns[index] += host_clock_ns() - start;
    return lane->ok;
}
