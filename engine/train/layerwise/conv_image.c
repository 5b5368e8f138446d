/* Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/conv_image.h"

#include "engine/train/kernels/products/product_pack.h"
#include "engine/train/layerwise/conv_data.h"
#include "engine/train/layerwise/pool.h"
#include "engine/train/layerwise/share.h"

static struct grid input_grid(const struct op *op)
{
    const struct conv *conv = op->own;

    return (struct grid){.height = op->node->in.height,
                         .width = op->node->in.width,
                         .channels = conv->channels,
                         .pitch = conv->pitch,
                         .padding = op->node->padding,
                         .part = conv->input_part};
}

static struct grid gradient_grid(const struct op *op)
{
    const struct conv *conv = op->own;

    return (struct grid){.height = op->node->out.height,
                         .width = op->node->out.width,
                         .channels = conv->outputs,
                         .pitch = conv->gradient_pitch,
                         .padding = conv->gradient_padding,
                         .part = conv->gradient_part};
}

static void lay_input(const struct op *op, long n, const struct room *room)
{
    const struct conv *conv = op->own;
    const struct image image = {op->input, n};
    const struct grid grid = input_grid(op);
    void *to = conv_input_at(op, n);

    if (conv->by_windows) {
        grid_lay_windows(op->net, op->node, image, conv->channels,
                         room->plain ? room->plain : to);
        if (room->plain)
            split_numbers(room->plain, conv->input_part, to, conv->input_part);
    } else if (conv->inputs) {
        grid_lay_operand(op->net, &grid, image, room->line, to);
    }
}

/* Numbers of a line of the sums. */
static long sums_line(const struct op *op)
{
    const struct conv *conv = op->own;

    return (conv->way->dense ? op->node->out.width : conv->pitch) * conv->outputs;
}

/* From the sums of the grid to an image of the output, line by line. */
static void finish_sums(const struct op *op, const float *sums, long n)
{
    const struct conv *conv = op->own;
    const struct extent *out = &op->node->out;
    long run = out->width * conv->outputs;
    struct element_finish finish = {.bias = value_of_parameter(op, 1),
                                    .activation = op->node->activation,
                                    .stride = conv->outputs,
                                    .row_end = out->width,
                                    .end = conv->outputs};

    for (long line = 0; line < out->height; line++) {
        long place = n * op->output->width + line * run;

        finish.from = sums + line * sums_line(op);
        finish.value = op->output->value + place;
        finish_operand(op->net, op->output, place, &finish);
        op->net->elements->finish(&finish);
    }
}

static void pool_sums(const struct op *op, const float *sums, long n, int thread)
{
    const struct element_pool of = {.from = sums,
                                    .line = sums_line(op),
                                    .bias = value_of_parameter(op, 1),
                                    .relu = op->node->activation == ACTIVATION_RELU};

    pool_forward(op->pool, &of, n, thread);
}

void conv_image_forward(const struct op *op, long n, int thread)
{
    const struct conv *conv = op->own;
    const struct room *room = &conv->rooms[thread];

    lay_input(op, n, room);
    conv->way->forward(op, n, thread);
    if (op->pool)
        pool_sums(op, room->sums, n, thread);
    else
        finish_sums(op, room->sums, n);
}

static void add_to_bias(const struct op *op, const struct room *room, const float *gradient,
                        long pixels)
{
    long outputs = op->node->columns;

    op->net->elements->sum_columns(gradient, pixels, outputs, 0, outputs, room->row);
    for (long o = 0; o < outputs; o++)
        room->bias[o] += (double)room->row[o];
}

/* The gradient of an image's output behind its activation, line by line: into the bias, and into
 * a grid. */
static void lay_gradient(const struct op *op, const struct room *room, long n, int thread)
{
    const struct conv *conv = op->own;
    long of_gradient = gradient_image(op->output, n, thread);
    const struct grid grid = gradient_grid(op);
    long run = grid.width * conv->outputs;

    for (long line = 0; line < grid.height; line++) {
        const float *value = op->output->value + n * op->output->width + line * run;
        const float *gradient =
            op->output->gradient + of_gradient * op->output->width + line * run;
        float *own = grid_line(op->net, &grid, line, room->gradient);

        if (op->node->activation == ACTIVATION_RELU) {
            float *to = own ? own : room->line;

            op->net->elements->relu_backward(value, gradient, (size_t)run, to);
            gradient = to;
        }
        add_to_bias(op, room, gradient, grid.width);
        if (gradient != own)
            grid_lay_line(op->net, &grid, line, gradient, room->gradient);
    }
}

/* The same, where a pool has it. A line that the pool leaves out stays zero in the grid. */
static void lay_pooled_gradient(const struct op *op, const struct room *room, long n, int thread)
{
    const struct conv *conv = op->own;
    const struct extent *pooled = &op->pool->node->out;
    const struct grid grid = gradient_grid(op);
    const float *gradient =
        pool_gradient(op->pool, op->node->activation == ACTIVATION_RELU, n, thread);

    add_to_bias(op, room, gradient, pooled->height * pooled->width);
    for (long y = 0; y < pooled->height; y++) {
        float *own = grid_line(op->net, &grid, 2 * y, room->gradient);
        const struct pool_lines lines = {y, own ? own : pool_lines_at(op->pool, thread),
                                         (own ? grid.pitch : grid.width) * conv->outputs};

        pool_backward(op->pool, n, lines, thread);
        for (long line = 0; line < 2 && !own; line++)
            grid_lay_line(op->net, &grid, 2 * y + line, lines.to + line * lines.line,
                          room->gradient);
    }
}

void conv_image_backward(const struct op *op, long n, int thread)
{
    const struct conv *conv = op->own;
    const struct room *room = &conv->rooms[thread];
    const struct image image = {op->input, gradient_image(op->input, n, thread)};
    bool dense = conv->back->dense;
    bool at_once = conv->as_it_lies || (dense && op->input->channels_last);
    struct grid grid = input_grid(op);

    if (op->pool)
        lay_pooled_gradient(op, room, n, thread);
    else
        lay_gradient(op, room, n, thread);
    conv->back->to_weight(op, n, thread);
    if (!op->to_input)
        return;
    conv->back->to_input(
        op, at_once ? op->input->gradient + image.index * op->input->width : room->sums, thread);
    grid.padding = 0;
    if (dense)
        grid.pitch = grid.width;
    if (!at_once)
        grid_take_gradient(&grid, room->sums, image);
}
