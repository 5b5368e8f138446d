/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/depth_first/depth_first_update.h"

#include "engine/train/depth_first/depth_first_groups.h"
#include "engine/train/threads/host.h"

#include <string.h>

/* Calls `update` with the sums of a filter's gradient that threads have. */
static void update_filter(struct lane *lane, const struct stage *stage, int which,
                          void (*update)(struct filter *filter,
                                         const struct filter_update *update))
{
    struct depth_first *depth_first = lane->depth_first;
    bool grouped = depth_first_grouped(depth_first, stage);
    float *copies[LANES_MAX];
    struct filter_update work = {.copies = copies,
                                 .index = lane->index,
                                 .of = depth_first->lane_count,
                                 .sgd = &depth_first->options.sgd};

    for (int i = 0; i < depth_first->lane_count; i++) {
        const struct lane *other = &depth_first->lanes[i];
        float *sum = depth_first_sum(grouped ? depth_first_leader(other) : other, stage, which);
        bool known = work.copy_count > 0 && copies[work.copy_count - 1] == sum;

        if (other->first_image < other->end_image && !known)
            copies[work.copy_count++] = sum;
    }
    assert(work.copy_count > 0 && work.copy_count <= LANES_MAX);
    update(depth_first->filters[stage->convs[which]], &work);
}

/* Ranks begin to join what all threads have summed. They wait for it at the end of the way back,
 * so the stages before are computed meanwhile. */
static void join_summed(struct lane *lane)
{
    struct depth_first *depth_first = lane->depth_first;
    const struct stage *stage = depth_first->summed;
    long long start = host_clock_ns();

    for (int i = 0; stage && i < stage->count; i++) {
        size_t count;
        float *gradient = filter_gradient_at(depth_first->filters[stage->convs[i]], &count);

        joiner_start(depth_first->options.joiner, gradient, count);
    }
    joiner_advance(depth_first->options.joiner);
    lane->communication_ns += host_clock_ns() - start;
}

/* The one place where the gradients of threads become one, and where ranks join theirs. */
void depth_first_sgd_step(struct lane *lane, const struct stage *stage)
{
    struct depth_first *depth_first = lane->depth_first;
    bool joins = joiner_joins(depth_first->options.joiner);
    long long start;

    if (joins && lane->index == 0) {
        join_summed(lane);
        depth_first->summed = stage;
    }
    start = host_clock_ns();
    for (int i = 0; i < stage->count; i++)
        update_filter(lane, stage, i, joins ? filter_sum : filter_learn);
    lane->update_ns += host_clock_ns() - start;
}

/* The gradient of the linear layer's bias, from the sums of all threads. */
static void sum_bias(struct depth_first *depth_first)
{
    const struct layer *linear = &depth_first->network.layers[depth_first->stages.linear];
    struct parameter *bias = parameters_find(depth_first->parameters, linear->name, "bias");
    bool first = true;

    for (int i = 0; i < depth_first->lane_count; i++) {
        const struct lane *lane = &depth_first->lanes[i];

        if (lane->first_image >= lane->end_image)
            continue;
        if (first)
            memcpy(bias->gradient, lane->bias_sum, bias->count * sizeof(float));
        else
            depth_first->passes->accumulate(lane->bias_sum, bias->count, bias->gradient);
        first = false;
    }
}

/* Number `index` of two for each layer: its scale, shift or bias; or NULL. */
static struct parameter *vector_at(struct depth_first *depth_first, int index)
{
    int i = index / 2;
    const struct layer *layer = &depth_first->network.layers[i];
    const char *which = index % 2 ? "bias" : "weight";

    if (depth_first->norms[i])
        return parameters_find(depth_first->parameters, layer->norm, which);
    return i == depth_first->stages.linear && index % 2
               ? parameters_find(depth_first->parameters, layer->name, which)
               : NULL;
}

size_t depth_first_vectors(struct depth_first *depth_first)
{
    size_t count = 0;

    for (int i = 0; i < 2 * depth_first->network.count; i++) {
        const struct parameter *vector = vector_at(depth_first, i);

        count += vector ? vector->count : 0;
    }
    return count;
}

/* Ranks join the gradients of all vectors in one piece, behind what is on its way. */
static void join_vectors(struct depth_first *depth_first)
{
    float *at = depth_first->vectors;

    for (int i = 0; i < 2 * depth_first->network.count; i++) {
        const struct parameter *vector = vector_at(depth_first, i);

        if (vector) {
            memcpy(at, vector->gradient, vector->count * sizeof(float));
            at += vector->count;
        }
    }
    joiner_start(depth_first->options.joiner, depth_first->vectors,
                 (size_t)(at - depth_first->vectors));
    joiner_finish(depth_first->options.joiner);
    at = depth_first->vectors;
    for (int i = 0; i < 2 * depth_first->network.count; i++) {
        struct parameter *vector = vector_at(depth_first, i);

        if (vector) {
            memcpy(vector->gradient, at, vector->count * sizeof(float));
            at += vector->count;
        }
    }
}

/* Small, so one thread does it. */
static void learn_vectors(struct depth_first *depth_first)
{
    bool momentum = depth_first->options.sgd.momentum != 0;

    for (int i = 0; i < 2 * depth_first->network.count; i++) {
        struct parameter *vector = vector_at(depth_first, i);

        if (!vector)
            continue;
        const struct pass_learn learn = {.copies = &vector->gradient,
                                         .copy_count = 1,
                                         .weights = vector->value,
                                         .velocity = momentum ? vector->velocity : NULL,
                                         .end = vector->count};
        depth_first->passes->learn(&learn, &depth_first->options.sgd);
    }
}

/* Waits for the other ranks, and takes the step of all filters with what they have joined. */
static void step_joined(struct lane *lane)
{
    struct depth_first *depth_first = lane->depth_first;
    const struct filter_update update = {
        .index = lane->index, .of = depth_first->lane_count, .sgd = &depth_first->options.sgd};
    long long start;

    if (lane->index == 0) {
        join_summed(lane);
        depth_first->summed = NULL;
        start = host_clock_ns();
        join_vectors(depth_first);
        lane->communication_ns += host_clock_ns() - start;
    }
    team_meet(depth_first->team);
    start = host_clock_ns();
    for (int i = 0; i < depth_first->network.count; i++)
        if (depth_first->filters[i])
            filter_step(depth_first->filters[i], &update);
    lane->update_ns += host_clock_ns() - start;
    team_meet(depth_first->team); /* a thread loads what others have changed */
}

static void pack_stage(const struct depth_first *depth_first, const struct stage *stage,
                       enum conv_direction direction, const struct lane *lane)
{
    for (int i = 0; i < stage->count; i++)
        filter_pack(depth_first->filters[stage->convs[i]], direction, lane ? lane->index : 0,
                    lane ? depth_first->lane_count : 1);
}

void depth_first_pack(struct lane *lane, int time)
{
    const struct depth_first *depth_first = lane->depth_first;
    int head = depth_first->stages.count;
    int index = time < head ? time : 2 * head - time;
    const struct stage *stage =
        index < head ? &depth_first->stages.list[index] : &depth_first->head;

    assert(time > 0 && time <= 2 * head);
    if (time <= head)
        pack_stage(depth_first, stage, CONV_FORWARD, lane);
    if (time >= head)
        pack_stage(depth_first, stage, CONV_BACKWARD_DATA, lane);
}

void depth_first_pack_first(struct depth_first *depth_first)
{
    pack_stage(depth_first, &depth_first->stages.list[0], CONV_FORWARD, NULL);
}

/* Brings the new weights of a filter to where they are read. */
static bool load_filter(struct lane *lane, int index, enum conv_direction direction)
{
    struct depth_first *depth_first = lane->depth_first;
    struct filter *filter = depth_first->filters[index];

    if (!filter)
        return true;
    if (!filter_load(filter, lane->index, direction, &lane->err))
        return false;
    if (direction == CONV_FORWARD && depth_first->network.layers[index].input < 0)
        filter_pack(filter, direction, 0, 1); /* for the next step, which begins with it */
    return true;
}

/* A free thread takes the next filter. */
static bool load_filters(struct lane *lane)
{
    int all = 2 * lane->depth_first->network.count;

    for (int i; (i = atomic_fetch_add(&lane->depth_first->loaded, 1)) < all;)
        if (!load_filter(lane, i / 2, (enum conv_direction)(i % 2)))
            return false;
    return true;
}

void depth_first_update(struct lane *lane)
{
    struct depth_first *depth_first = lane->depth_first;
    long long start;

    team_meet(depth_first->team); /* the last stage's weights are complete */
    if (lane->index == 0)
        sum_bias(depth_first);
    if (joiner_joins(depth_first->options.joiner))
        step_joined(lane);
    start = host_clock_ns();
    lane->ok = lane->ok && load_filters(lane);
    if (lane->index == 0 && lane->ok)
        learn_vectors(depth_first);
    lane->update_ns += host_clock_ns() - start;
}
