/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/depth_first/depth_first_backward.h"

#include "engine/train/depth_first/depth_first_activation.h"
#include "engine/train/depth_first/depth_first_groups.h"
#include "engine/train/depth_first/depth_first_update.h"
#include "engine/train/depth_first/direction.h"

/* From the gradient of the batch-norm behind it to the gradient of a convolution's output. */
static void batchnorm_backward(const struct chunk *chunk, int conv)
{
    struct depth_first *depth_first = chunk->lane->depth_first;
    const struct rows rows = rows_out(chunk, &depth_first->network.layers[conv]);
    const struct norm_lane *norm = norm_at(depth_first->norms[conv], chunk->lane->index);
    const struct pass_batchnorm_backward work = {
        .gradient = chunk_of(
            chunk, depth_first->gradients[stages_behind(&depth_first->stages, conv)], rows),
        .values = chunk_of(chunk, depth_first->outputs[conv], rows),
        .scale = norm->affine,
        .slope = norm->slope,
        .mean = norm->mean,
        .offset = norm->offset};

    depth_first->passes->batchnorm_backward(&work, rows, chunk->lane->gradient);
}

/* The gradient of the weights, alone or with the group. */
static bool learn_weights(const struct chunk *chunk, int which, void *input, struct error *err)
{
    struct lane *lane = chunk->lane;
    struct depth_first *depth_first = lane->depth_first;
    const struct filter_call call = {lane->index, chunk->count, lane->scratch, false};
    const struct filter_gradient work = {.input = input,
                                         .gradient = lane->gradient,
                                         .sum = depth_first_sum(lane, chunk->stage, which),
                                         .first = lane->fresh,
                                         .slices = 1};

    if (depth_first_grouped(depth_first, chunk->stage))
        return depth_first_share(lane, chunk->stage,
                                 (struct share){input, lane->gradient, chunk->count}, err);
    return filter_backward_weights(depth_first->filters[chunk->stage->convs[which]], &call, &work,
                                   err);
}

/* Both gradients of convolution number `which` of the stage; `end` says what happens to the
 * gradient of its input. */
static bool convolve_back(const struct chunk *chunk, int which, void *input,
                          const struct conv_end *end, struct error *err)
{
    struct lane *lane = chunk->lane;
    struct depth_first *depth_first = lane->depth_first;
    int conv = chunk->stage->convs[which];
    const struct filter_call call = {lane->index, chunk->count, lane->scratch, false};

    batchnorm_backward(chunk, conv);
    input = depth_first_input_of(chunk, &depth_first->network.layers[conv], input);
    return learn_weights(chunk, which, input, err) &&
           (chunk->stage->reads < 0 || filter_run(depth_first->filters[conv], &call,
                                                  CONV_BACKWARD_DATA, lane->gradient, end, err));
}

/* The gradient of convolution number `which`'s input, as it is. */
static bool convolve_back_plain(const struct chunk *chunk, int which, void *input,
                                struct error *err)
{
    const struct conv_end end = {
        .kind = CONV_PLAIN,
        .result = chunk->lane->input_gradient[which == chunk->stage->count - 1 ? 0 : 1]};

    return convolve_back(chunk, which, input, &end, err);
}

static void add_subsampled(const struct chunk *chunk, const struct layer *layer)
{
    struct lane *lane = chunk->lane;
    size_t type = dnn_type_size(lane->depth_first->options.type);
    size_t image = (size_t)(layer->in_size * layer->in_size * layer->in_channels) * type;

    for (size_t i = 0; i < (size_t)chunk->count; i++)
        lane->depth_first->passes->add_subsampled((char *)lane->input_gradient[1] + i * image / 4,
                                                  layer->in_size, layer->in_channels,
                                                  (char *)lane->input_gradient[0] + i * image);
}

/* Through the maximum pool to the batch-norm before it. */
static void unpool_images(const struct chunk *chunk, const struct activation *activation,
                          void *result)
{
    struct depth_first *depth_first = chunk->lane->depth_first;
    const struct layer *layer = &depth_first->network.layers[activation->pool];
    const struct norm_lane *norm =
        norm_at(depth_first->norms[activation->conv], chunk->lane->index);

    for (long i = 0; i < chunk->count; i++) {
        const struct pass_pool pool = depth_first_pool_of(chunk, activation, chunk->first + i);
        char *gradient = (char *)chunk->lane->input_gradient[0];

        depth_first->passes->unpool(
            &pool, gradient + (size_t)i * depth_first_bytes_out(depth_first, layer),
            (char *)result +
                (size_t)(chunk->first + i) * depth_first_bytes_in(depth_first, layer),
            norm->backward_sums);
    }
}

/* How the gradient goes through the ReLU that made `input`, which the stage read. Adds the
 * gradient of the activation that this one is added to. */
static struct conv_end end_of_activation(const struct chunk *chunk, void *input)
{
    struct depth_first *depth_first = chunk->lane->depth_first;
    int index = chunk->stage->reads, lane = chunk->lane->index;
    const struct activation *activation = &depth_first->stages.activations[index];
    const struct rows rows = rows_in(chunk, &depth_first->network.layers[chunk->stage->convs[0]]);
    const struct norm_lane *norm = norm_at(depth_first->norms[activation->conv], lane);
    struct conv_end end = {.kind = CONV_INNER,
                           .result = chunk_of(chunk, depth_first->gradients[index], rows),
                           .sums = norm->backward_sums,
                           .values =
                               chunk_of(chunk, depth_first->outputs[activation->conv], rows),
                           .active = input,
                           .affine = norm->affine,
                           .mean = norm->mean};

    if (activation->added_to >= 0) {
        end.kind = CONV_KEPT;
        end.add = chunk_of(chunk, depth_first->gradients[activation->added_to], rows);
    }
    if (activation->adds_conv >= 0) {
        end.kind = CONV_OTHER;
        end.other_values = chunk_of(chunk, depth_first->outputs[activation->adds_conv], rows);
        end.other_mean = norm_at(depth_first->norms[activation->adds_conv], lane)->mean;
    }
    return end;
}

/* Through that ReLU, with the gradients of both convolutions. */
static void through_activation(const struct chunk *chunk, void *input, const void *add)
{
    struct depth_first *depth_first = chunk->lane->depth_first;
    int index = chunk->stage->reads;
    const struct activation *activation = &depth_first->stages.activations[index];
    const struct rows rows = rows_in(chunk, &depth_first->network.layers[chunk->stage->convs[0]]);
    struct lane *lane = chunk->lane;

    if (activation->pool >= 0) {
        if (add)
            depth_first->passes->add(add, rows, lane->input_gradient[0]);
        unpool_images(chunk, activation, depth_first->gradients[index]);
    } else {
        struct conv_end end = end_of_activation(chunk, input);

        if (add) {
            assert(end.kind == CONV_INNER);
            end.kind = CONV_KEPT;
            end.add = add;
        }
        direction_end(depth_first->passes, &end, rows, lane->input_gradient[0]);
    }
}

/* A stage whose only convolution reads what no pool made: the ReLU is the convolution's end. */
static bool ends_in_convolution(const struct chunk *chunk)
{
    const struct stages *stages = &chunk->lane->depth_first->stages;

    return chunk->stage->count == 1 && chunk->stage->reads >= 0 &&
           stages->activations[chunk->stage->reads].pool < 0;
}

static bool backward_chunk(const struct chunk *chunk, struct error *err)
{
    struct lane *lane = chunk->lane;
    const struct layer *layers = lane->depth_first->network.layers;
    const void *add = NULL;
    void *input = depth_first_input(chunk, false);
    int last = chunk->stage->count - 1; /* the one that sees every pixel */

    assert(last == 0 || last == 1); /* the code below has no more cases */
    if (ends_in_convolution(chunk)) {
        const struct conv_end end = end_of_activation(chunk, input);

        assert(end.kind < CONV_KEPT || end.add);
        if (!convolve_back(chunk, 0, input, &end, err))
            return false;
        lane->fresh = false;
        return true;
    }
    if (!convolve_back_plain(chunk, last, input, err))
        return false;
    if (last > 0) {
        const struct layer *layer = &layers[chunk->stage->convs[0]];

        if (!convolve_back_plain(chunk, 0, input, err))
            return false;
        if (data_subsamples(layer))
            add_subsampled(chunk, layer);
        else
            add = lane->input_gradient[1];
    }
    lane->fresh = false;
    if (chunk->stage->reads >= 0)
        through_activation(chunk, input, add);
    return true;
}

/* The batch-norms whose output the stage's gradient has reached. */
static void finish_norms(struct lane *lane, int activation)
{
    struct depth_first *depth_first = lane->depth_first;
    const struct activation *a = &depth_first->stages.activations[activation];

    norm_finish_backward(depth_first->norms[a->conv], depth_first->norms[a->conv], lane->index);
    if (a->adds_conv >= 0)
        norm_finish_backward(depth_first->norms[a->adds_conv], depth_first->norms[a->conv],
                             lane->index);
}

void depth_first_backward(struct lane *lane)
{
    struct depth_first *depth_first = lane->depth_first;

    finish_norms(lane, depth_first->stages.last);
    for (int i = depth_first->stages.count - 1; i >= 0; i--) {
        const struct stage *stage = &depth_first->stages.list[i];

        lane->fresh = true;
        if (stage->reads >= 0)
            norm_start_backward(
                depth_first->norms[depth_first->stages.activations[stage->reads].conv],
                lane->index);
        if (depth_first_grouped(depth_first, stage))
            lane->ok = depth_first_rounds(lane, i, backward_chunk);
        else
            lane->ok = lane->ok && depth_first_chunks(lane, i, backward_chunk);
        if (i > 0)
            depth_first_pack(lane, depth_first_time_back(depth_first, i - 1));
        team_meet(depth_first->team);
        depth_first_sgd_step(lane, stage);
        if (stage->reads >= 0)
            finish_norms(lane, stage->reads);
    }
}
