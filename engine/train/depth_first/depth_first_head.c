/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/depth_first/depth_first_head.h"

#include "common/cleanup.h"
#include "engine/train/depth_first/depth_first_activation.h"
#include "engine/train/depth_first/depth_first_groups.h"
#include "engine/train/depth_first/depth_first_update.h"
#include "engine/train/kernels/loss.h"
#include "engine/train/threads/host.h"

static struct chunk image_of(struct lane *lane, long image)
{
    static const struct cut whole = {1, 1, false};

    return (struct chunk){.lane = lane, .cut = &whole, .first = image, .count = 1};
}

static const struct layer *linear_of(const struct depth_first *depth_first)
{
    return &depth_first->network.layers[depth_first->stages.linear];
}

static struct rows last_rows(const struct depth_first *depth_first)
{
    int conv = depth_first->stages.activations[depth_first->stages.last].conv;
    const struct layer *layer = &depth_first->network.layers[conv];

    return (struct rows){layer->out_size * layer->out_size, layer->out_channels};
}

/* Row `image` of a buffer of shape (N, numbers). */
static void *row_of(const struct depth_first *depth_first, void *buffer, long image, long numbers)
{
    return (char *)buffer + (size_t)(image * numbers) * dnn_type_size(depth_first->options.type);
}

static void take_means(struct lane *lane)
{
    struct depth_first *depth_first = lane->depth_first;
    const struct rows rows = last_rows(depth_first);

    assert(depth_first->kept[depth_first->stages.last]);
    assert(rows.channels == linear_of(depth_first)->in_channels); /* means: (N, channels) */
    for (long image = lane->first_image; image < lane->end_image; image++) {
        const struct chunk chunk = image_of(lane, image);
        void *active = chunk_of(&chunk, depth_first->kept[depth_first->stages.last], rows);

        depth_first_activate(&chunk, depth_first->stages.last, rows, true, active);
        depth_first->passes->mean(active, rows,
                                  row_of(depth_first, depth_first->means, image, rows.channels));
    }
}

/* Loss and gradient of each image's logits. */
static void softmax_loss(struct lane *lane)
{
    struct depth_first *depth_first = lane->depth_first;
    const struct layer *linear = linear_of(depth_first);
    const float *bias = parameters_find(depth_first->parameters, linear->name, "bias")->value;
    long classes = linear->out_channels, batch = depth_first->options.batch;
    long before = batch * joiner_rank(depth_first->options.joiner); /* images of other ranks */

    assert(lane->end_image <= batch);
    assert(classes >= LOSS_LABELS); /* every label has a logit */
    memset(lane->bias_sum, 0, (size_t)classes * sizeof(float));
    for (long image = lane->first_image; image < lane->end_image; image++) {
        float *shown = depth_first->shown + image * classes;

        depth_first->passes->to_floats(row_of(depth_first, depth_first->logits, image, classes),
                                       (size_t)classes, shown);
        for (long c = 0; c < classes; c++)
            lane->row[c] = shown[c] += bias[c];
        depth_first->losses[image] =
            loss_cross_entropy(lane->row, classes, (before + image) % LOSS_LABELS,
                               batch * joiner_ranks(depth_first->options.joiner));
        for (long c = 0; c < classes; c++)
            lane->bias_sum[c] += lane->row[c];
        depth_first->passes->from_floats(
            lane->row, (size_t)classes,
            row_of(depth_first, depth_first->logit_gradients, image, classes));
    }
}

/* Turns the gradient of the means into the gradient of the last batch-norm. */
static void go_back(struct lane *lane)
{
    struct depth_first *depth_first = lane->depth_first;
    const struct activation *last = &depth_first->stages.activations[depth_first->stages.last];
    const struct rows rows = last_rows(depth_first);
    const struct norm_lane *norm = norm_at(depth_first->norms[last->conv], lane->index);

    for (long image = lane->first_image; image < lane->end_image; image++) {
        const struct chunk chunk = image_of(lane, image);
        struct pass_mask mask = {
            .gradient = lane->gradient,
            .active = chunk_of(&chunk, depth_first->kept[depth_first->stages.last], rows),
            .result = chunk_of(&chunk, depth_first->gradients[depth_first->stages.last], rows),
            .values = chunk_of(&chunk, depth_first->outputs[last->conv], rows),
            .mean = norm->mean};

        if (last->adds_conv >= 0) {
            mask.other_values = chunk_of(&chunk, depth_first->outputs[last->adds_conv], rows);
            mask.other_mean = norm_at(depth_first->norms[last->adds_conv], lane->index)->mean;
        }
        depth_first->passes->spread(
            row_of(depth_first, depth_first->mean_gradients, image, rows.channels), rows,
            lane->gradient);
        depth_first->passes->mask(&mask, rows, norm->backward_sums);
    }
}

static bool learn_linear(struct lane *lane, struct error *err)
{
    struct depth_first *depth_first = lane->depth_first;
    const struct layer *linear = linear_of(depth_first);
    struct filter *filter = depth_first->filters[depth_first->stages.linear];
    const struct filter_call call = {lane->index, lane->end_image - lane->first_image,
                                     lane->scratch, false};
    void *means = row_of(depth_first, depth_first->means, lane->first_image, linear->in_channels);
    void *logits =
        row_of(depth_first, depth_first->logits, lane->first_image, linear->out_channels);
    void *gradient = row_of(depth_first, depth_first->logit_gradients, lane->first_image,
                            linear->out_channels);
    float *sum = depth_first_sum(lane, &depth_first->head, 0);
    const struct filter_gradient work = {means, gradient, sum, true, 0, 1};

    if (!filter_forward(filter, &call, means, logits, err))
        return false;
    softmax_loss(lane);
    lane->forward_end = host_clock_ns();
    return filter_backward_weights(filter, &call, &work, err) &&
           filter_backward_data(filter, &call, gradient,
                                row_of(depth_first, depth_first->mean_gradients,
                                       lane->first_image, linear->in_channels),
                                err);
}

void depth_first_head(struct lane *lane)
{
    struct depth_first *depth_first = lane->depth_first;

    lane->forward_end = host_clock_ns(); /* of a thread that has no image */
    norm_start_backward(
        depth_first->norms[depth_first->stages.activations[depth_first->stages.last].conv],
        lane->index);
    if (lane->ok && lane->first_image < lane->end_image) {
        take_means(lane);
        lane->ok = learn_linear(lane, &lane->err);
        if (lane->ok)
            go_back(lane);
    }
    depth_first_pack(lane, depth_first->stages.count + 1);
    team_meet(depth_first->team);
    depth_first_sgd_step(lane, &depth_first->head);
}
