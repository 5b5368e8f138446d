/* Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/conv_panels.h"

#include "engine/train/kernels/products/panel_sums.h"
#include "engine/train/kernels/products/product_panels.h"
#include "engine/train/layerwise/memory.h"

struct panels {
    float *forward_weight, *back_weight; /* packed */
};

bool conv_fits_panels(const struct op *op, const struct conv *conv)
{
    return op->net->kernel == &product_panels && conv->outputs % PANEL_SUMS_COLUMNS == 0 &&
           (!op->to_input || conv->channels % PANEL_SUMS_COLUMNS == 0);
}

static bool conv_panels_make(struct op *op, struct error *err)
{
    struct conv *conv = op->own;
    struct panels *panels = conv->own = layerwise_take(op->net, sizeof *panels, err);
    size_t weights = (size_t)(conv->taps * conv->channels * conv->outputs) * sizeof(float);

    if (!panels)
        return false;
    panels->forward_weight = layerwise_take(op->net, weights, err);
    if (!conv_goes_back(op))
        return panels->forward_weight;
    panels->back_weight = layerwise_take(op->net, weights, err);
    for (int i = 0; i < op->net->threads; i++) {
        conv->rooms[i].scratch = layerwise_take(
            op->net, panel_sums_scratch(op->node->out.width, conv->outputs) * sizeof(float), err);
        if (!conv->rooms[i].scratch)
            return false;
    }
    return panels->forward_weight && panels->back_weight;
}

static void conv_panels_pack(struct op *op, int thread)
{
    const struct conv *conv = op->own;
    const struct panels *panels = conv->own;

    if (thread == 0)
        panel_sums_pack(conv->forward_weight, conv->taps * conv->channels, conv->outputs,
                        panels->forward_weight);
    if (thread == op->net->threads - 1 && op->to_input && conv_goes_back(op))
        panel_sums_pack(conv->back_weight, conv->taps * conv->outputs, conv->channels,
                        panels->back_weight);
}

/* Of an image and its grid. */
static struct panel_sums forward_sums(const struct op *op, long image)
{
    const struct conv *conv = op->own;

    return (struct panel_sums){.lines = op->node->out.height,
                               .width = op->node->out.width,
                               .n = conv->outputs,
                               .k = conv->channels,
                               .terms = conv->taps,
                               .left = conv_input_at(op, image),
                               .stride = conv->channels,
                               .pitch = conv->pitch * conv->channels,
                               .shifts = conv->input_shifts};
}

static void conv_panels_forward(const struct op *op, long image, int thread)
{
    const struct conv *conv = op->own;
    const struct panels *panels = conv->own;
    struct panel_sums sums = forward_sums(op, image);

    sums.right = panels->forward_weight;
    sums.result = conv->rooms[thread].sums;
    panel_sums_run(&sums);
}

static void panels_to_weight(const struct op *op, long image, int thread)
{
    const struct conv *conv = op->own;
    const struct room *room = &conv->rooms[thread];
    struct panel_sums sums = forward_sums(op, image);

    sums.right = conv_gradient_at(conv, room);
    sums.result = room->weight;
    panel_sums_run_back(&sums, conv->pitch * conv->outputs, room->scratch);
}

static void panels_to_input(const struct op *op, float *result, int thread)
{
    const struct conv *conv = op->own;
    const struct panels *panels = conv->own;
    const struct panel_sums sums = {.lines = op->node->in.height,
                                    .width = op->node->in.width,
                                    .n = conv->channels,
                                    .k = conv->outputs,
                                    .terms = conv->taps,
                                    .left = conv->rooms[thread].gradient,
                                    .stride = conv->outputs,
                                    .pitch = conv->pitch * conv->outputs,
                                    .shifts = conv->gradient_shifts,
                                    .right = panels->back_weight,
                                    .result = result};

    panel_sums_run(&sums);
}

const struct conv_way conv_by_panels = {.make = conv_panels_make,
                                        .pack = conv_panels_pack,
                                        .forward = conv_panels_forward,
                                        .to_weight = panels_to_weight,
                                        .to_input = panels_to_input,
                                        .dense = true};
