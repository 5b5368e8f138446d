/* What is learnt from a step. The weights of a stage take their step as soon as its gradients are
 * there, while these are in cache; so a thread needs memory for the gradients of two stages, not
 * for those of the whole network. */
#include "common/cleanup.h"
#include "engine/train/depth_first/depth_first.h"
#include "engine/train/threads/host.h"

float *fused_sum(const struct lane *lane, const struct stage *stage, int which, int turn)
{
    float *at = lane->weight_sums[turn % 2];

    for (int i = 0; i < which; i++)
        at += (filter_weights(lane->fused->filters[stage->convs[i]]) + 15) & ~(size_t)15;
    return at;
}

/* The one place where the gradients of threads become one: ranks on other machines would join
 * their sums here. */
static void learn_filter(struct lane *lane, const struct stage *stage, int which, int turn)
{
    struct fused *fused = lane->fused;
    bool grouped = fused_grouped(fused, stage);
    float *copies[LANES_MAX];
    struct filter_update update = {.copies = copies,
                                   .index = lane->index,
                                   .of = fused->lane_count,
                                   .sgd = &fused->options.sgd};

    for (int i = 0; i < fused->lane_count; i++) {
        const struct lane *other = &fused->lanes[i];
        float *sum = fused_sum(grouped ? fused_leader(other) : other, stage, which, turn);
        bool known = update.copy_count > 0 && copies[update.copy_count - 1] == sum;

        if (other->first_image < other->end_image && !known)
            copies[update.copy_count++] = sum;
    }
    filter_learn(fused->filters[stage->convs[which]], &update);
}

void fused_learn(struct lane *lane, const struct stage *stage, int turn)
{
    long long start = host_clock_ns();

    for (int i = 0; i < stage->count; i++)
        learn_filter(lane, stage, i, turn);
    lane->update_ns += host_clock_ns() - start;
}

/* A parameter whose gradient is in `copies`. */
static void learn_parameter(struct fused *fused, struct parameter *parameter,
                            float *const *copies, int copy_count)
{
    bool momentum = fused->options.sgd.momentum != 0;
    const struct pass_learn learn = {.copies = copies,
                                     .copy_count = copy_count,
                                     .weights = parameter->value,
                                     .velocity = momentum ? parameter->velocity : NULL,
                                     .gradient = parameter->gradient,
                                     .end = parameter->count};

    fused->passes->learn(&learn, &fused->options.sgd);
}

/* Scales, shifts and the bias: small, so one thread does it. */
static void learn_vectors(struct fused *fused)
{
    float *sums[LANES_MAX];
    int count = 0;

    for (int i = 0; i < fused->network.count; i++) {
        const struct layer *layer = &fused->network.layers[i];

        for (int which = 0; fused->norms[i] && which < 2; which++) {
            struct parameter *parameter =
                parameters_find(fused->parameters, layer->norm, which ? "bias" : "weight");

            learn_parameter(fused, parameter, &parameter->gradient, 1);
        }
    }
    for (int i = 0; i < fused->lane_count; i++)
        if (fused->lanes[i].first_image < fused->lanes[i].end_image)
            sums[count++] = fused->lanes[i].bias_sum;
    learn_parameter(fused,
                    parameters_find(fused->parameters,
                                    fused->network.layers[fused->stages.linear].name, "bias"),
                    sums, count);
}

/* Filters are brought into the layouts that are computed with; whoever is free takes the next. */
static bool load_filters(struct lane *lane, struct error *err)
{
    struct fused *fused = lane->fused;
    int all = 2 * fused->network.count;

    for (int i; (i = atomic_fetch_add(&fused->loaded, 1)) < all;)
        if (fused->filters[i / 2] && !filter_load(fused->filters[i / 2], lane->index, i % 2, err))
            return false;
    return true;
}

void fused_update(struct lane *lane)
{
    struct fused *fused = lane->fused;
    long long start;

    team_meet(fused->team); /* the last stage's weights are complete */
    start = host_clock_ns();
    lane->ok = lane->ok && load_filters(lane, &lane->err);
    if (lane->index == 0 && lane->ok)
        learn_vectors(fused);
    lane->update_ns += host_clock_ns() - start;
}
