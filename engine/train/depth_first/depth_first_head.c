/* Behind the last stage: the mean over each image, the linear layer, the loss, and back. */
#include "common/cleanup.h"
#include "engine/train/depth_first/depth_first.h"
#include "engine/train/kernels/loss.h"
#include "engine/train/threads/host.h"

static struct chunk image_of(struct lane *lane, long image)
{
    static const struct cut whole = {1, 1, false};

    return (struct chunk){.lane = lane, .cut = &whole, .first = image, .count = 1};
}

static const struct layer *linear_of(const struct fused *fused)
{
    return &fused->network.layers[fused->stages.linear];
}

static struct rows last_rows(const struct fused *fused)
{
    int conv = fused->stages.activations[fused->stages.last].conv;
    const struct layer *layer = &fused->network.layers[conv];

    return (struct rows){layer->out_size * layer->out_size, layer->out_channels};
}

/* Row `image` of a buffer with so many numbers for each. */
static void *row_of(const struct fused *fused, void *buffer, long image, long numbers)
{
    return (char *)buffer + (size_t)(image * numbers) * dnn_type_size(fused->options.type);
}

static void take_means(struct lane *lane)
{
    struct fused *fused = lane->fused;
    const struct rows rows = last_rows(fused);

    for (long image = lane->first_image; image < lane->end_image; image++) {
        const struct chunk chunk = image_of(lane, image);
        void *active = chunk_of(&chunk, fused->kept[fused->stages.last], rows);

        fused_activate(&chunk, fused->stages.last, rows, active);
        fused->passes->mean(active, rows, row_of(fused, fused->means, image, rows.channels));
    }
}

/* Loss and gradient of each image's logits. */
static void lose(struct lane *lane)
{
    struct fused *fused = lane->fused;
    const struct layer *linear = linear_of(fused);
    const float *bias = parameters_find(fused->parameters, linear->name, "bias")->value;
    long classes = linear->out_channels;

    memset(lane->bias_sum, 0, (size_t)classes * sizeof(float));
    for (long image = lane->first_image; image < lane->end_image; image++) {
        float *shown = fused->shown + image * classes;

        fused->passes->to_floats(row_of(fused, fused->logits, image, classes), (size_t)classes,
                                 shown);
        for (long c = 0; c < classes; c++)
            lane->row[c] = shown[c] += bias[c];
        fused->losses[image] =
            loss_cross_entropy(lane->row, classes, image % LOSS_LABELS, fused->options.batch);
        for (long c = 0; c < classes; c++)
            lane->bias_sum[c] += lane->row[c];
        fused->passes->from_floats(lane->row, (size_t)classes,
                                   row_of(fused, fused->logit_gradients, image, classes));
    }
}

/* From the gradient of the means to that of the last batch-norm. */
static void go_back(struct lane *lane)
{
    struct fused *fused = lane->fused;
    const struct activation *last = &fused->stages.activations[fused->stages.last];
    const struct rows rows = last_rows(fused);
    const struct norm_lane *norm = norm_at(fused->norms[last->conv], lane->index);

    for (long image = lane->first_image; image < lane->end_image; image++) {
        const struct chunk chunk = image_of(lane, image);
        struct pass_mask mask = {
            .gradient = lane->gradient,
            .active = chunk_of(&chunk, fused->kept[fused->stages.last], rows),
            .result = chunk_of(&chunk, fused->gradients[fused->stages.last], rows),
            .values = chunk_of(&chunk, fused->outputs[last->conv], rows),
            .mean = norm->mean};

        if (last->adds_conv >= 0) {
            mask.other_values = chunk_of(&chunk, fused->outputs[last->adds_conv], rows);
            mask.other_mean = norm_at(fused->norms[last->adds_conv], lane->index)->mean;
        }
        fused->passes->spread(row_of(fused, fused->mean_gradients, image, rows.channels), rows,
                              lane->gradient);
        fused->passes->mask(&mask, rows, norm->backward_sums);
    }
}

static bool learn_linear(struct lane *lane, struct error *err)
{
    struct fused *fused = lane->fused;
    const struct layer *linear = linear_of(fused);
    struct filter *filter = fused->filters[fused->stages.linear];
    const struct filter_call call = {lane->index, lane->end_image - lane->first_image,
                                     lane->scratch};
    void *means = row_of(fused, fused->means, lane->first_image, linear->in_channels);
    void *logits = row_of(fused, fused->logits, lane->first_image, linear->out_channels);
    void *gradient =
        row_of(fused, fused->logit_gradients, lane->first_image, linear->out_channels);
    float *sum = fused_sum(lane, &lane->fused->head, 0, fused->stages.count);
    const struct filter_gradient work = {means, gradient, sum, true, 0, 1};

    if (!filter_forward(filter, &call, means, logits, err))
        return false;
    lose(lane);
    lane->forward_end = host_clock_ns();
    return filter_backward_weights(filter, &call, &work, err) &&
           filter_backward_data(
               filter, &call, gradient,
               row_of(fused, fused->mean_gradients, lane->first_image, linear->in_channels), err);
}

void fused_head(struct lane *lane)
{
    struct fused *fused = lane->fused;

    lane->forward_end = host_clock_ns(); /* of a thread that has no image */
    norm_start_backward(fused->norms[fused->stages.activations[fused->stages.last].conv],
                        lane->index);
    if (lane->ok && lane->first_image < lane->end_image) {
        take_means(lane);
        lane->ok = learn_linear(lane, &lane->err);
        if (lane->ok)
            go_back(lane);
    }
    team_meet(fused->team);
    fused_learn(lane, &fused->head, fused->stages.count);
}
