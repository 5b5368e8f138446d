/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/depth_first/depth_first_update.h"

#include "engine/train/depth_first/depth_first_groups.h"
#include "engine/train/threads/host.h"

/* The one place where the gradients of threads become one: ranks on other machines would join
 * their sums here. */
static void learn_filter(struct lane *lane, const struct stage *stage, int which)
{
    struct depth_first *depth_first = lane->depth_first;
    bool grouped = depth_first_grouped(depth_first, stage);
    float *copies[LANES_MAX];
    struct filter_update update = {.copies = copies,
                                   .index = lane->index,
                                   .of = depth_first->lane_count,
                                   .sgd = &depth_first->options.sgd};

    for (int i = 0; i < depth_first->lane_count; i++) {
        const struct lane *other = &depth_first->lanes[i];
        float *sum = depth_first_sum(grouped ? depth_first_leader(other) : other, stage, which);
        bool known = update.copy_count > 0 && copies[update.copy_count - 1] == sum;

        if (other->first_image < other->end_image && !known)
            copies[update.copy_count++] = sum;
    }
    assert(update.copy_count > 0 && update.copy_count <= LANES_MAX);
    filter_learn(depth_first->filters[stage->convs[which]], &update);
}

void depth_first_sgd_step(struct lane *lane, const struct stage *stage)
{
    long long start = host_clock_ns();

    for (int i = 0; i < stage->count; i++)
        learn_filter(lane, stage, i);
    lane->update_ns += host_clock_ns() - start;
}

/* A parameter whose gradient is in `copies`. */
static void learn_parameter(struct depth_first *depth_first, struct parameter *parameter,
                            float *const *copies, int copy_count)
{
    bool momentum = depth_first->options.sgd.momentum != 0;
    const struct pass_learn learn = {.copies = copies,
                                     .copy_count = copy_count,
                                     .weights = parameter->value,
                                     .velocity = momentum ? parameter->velocity : NULL,
                                     .gradient = parameter->gradient,
                                     .end = parameter->count};

    depth_first->passes->learn(&learn, &depth_first->options.sgd);
}

/* Scales, shifts and the bias: small, so one thread does it. */
static void learn_vectors(struct depth_first *depth_first)
{
    float *sums[LANES_MAX];
    int count = 0;

    for (int i = 0; i < depth_first->network.count; i++) {
        const struct layer *layer = &depth_first->network.layers[i];

        for (int which = 0; depth_first->norms[i] && which < 2; which++) {
            struct parameter *parameter =
                parameters_find(depth_first->parameters, layer->norm, which ? "bias" : "weight");

            learn_parameter(depth_first, parameter, &parameter->gradient, 1);
        }
    }
    for (int i = 0; i < depth_first->lane_count; i++)
        if (depth_first->lanes[i].first_image < depth_first->lanes[i].end_image)
            sums[count++] = depth_first->lanes[i].bias_sum;
    learn_parameter(depth_first,
                    parameters_find(depth_first->parameters,
                                    depth_first->network.layers[depth_first->stages.linear].name,
                                    "bias"),
                    sums, count);
}

/* Reorders the new weights for forward and backward; a free thread takes the next filter. */
static bool load_filters(struct lane *lane, struct error *err)
{
    struct depth_first *depth_first = lane->depth_first;
    int all = 2 * depth_first->network.count;

    for (int i; (i = atomic_fetch_add(&depth_first->loaded, 1)) < all;)
        if (depth_first->filters[i / 2] && !filter_load(depth_first->filters[i / 2], lane->index,
                                                        (enum conv_direction)(i % 2), err))
            return false;
    return true;
}

void depth_first_update(struct lane *lane)
{
    struct depth_first *depth_first = lane->depth_first;
    long long start;

    team_meet(depth_first->team); /* the last stage's weights are complete */
    start = host_clock_ns();
    lane->ok = lane->ok && load_filters(lane, &lane->err);
    if (lane->index == 0 && lane->ok)
        learn_vectors(depth_first);
    lane->update_ns += host_clock_ns() - start;
}
