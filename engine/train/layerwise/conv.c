/* A convolution of stride 1 as products of matrices whose rows are pixels. Each thread takes
 * images of its own, and lays out one at a time in a grid: pixel after pixel, all channels of
 * each, with zeros around the image. What one tap of the kernel sees of all pixels is then the
 * grid itself, from another pixel on. At the end of each line of the grid products make numbers
 * that are no pixels of the result; they are not read.
 *
 * An image of few channels is laid out as windows instead: each pixel has all that its window
 * sees, and the kernel has one tap.
 * Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/kinds.h"

#include "engine/train/layerwise/grid.h"
#include "engine/train/layerwise/memory.h"
#include "engine/train/layerwise/product.h"

#include <string.h>

#define FEW_CHANNELS 16

/* What one thread works with. Grids have the type of operands. */
struct room {
    void *input, *slope; /* grids: of the input, and of the gradient of the output */
    float *sums;         /* a grid's pixels: a result, before it is a tensor's */
    float *weight;       /* (taps, channels, outputs): the gradient of the thread's images */
    double *bias;        /* (outputs) */
    float *row;          /* (outputs) */
};

struct conv {
    long taps, channels, outputs; /* channels: of a pixel of the grid */
    bool by_windows;              /* the grid has windows instead of channels */
    long pitch;                   /* pixels of a line of the grid */
    long spread;   /* lines, and pixels of a line, from the first tap to the last */
    long together; /* taps of one product: neighbours in the grid */
    long slope_padding;
    void *forward_weight; /* (taps, channels, outputs), an operand */
    void *back_weight;    /* (taps, outputs, channels), the taps from the last to the first */
    const struct product_alone *forward, *forward_more, *to_weight, *to_input, *to_input_more;
    struct room *rooms; /* (threads) */
};

/* Pixels that a product computes, for so many lines. */
static long pixels_of(const struct conv *conv, long lines)
{
    return lines * conv->pitch;
}

/* Of the grid of so many results: the last one's window ends behind the last line. */
static size_t grid_numbers(const struct conv *conv, long lines, long channels)
{
    return (size_t)((pixels_of(conv, lines + conv->spread) + conv->spread) * channels);
}

static bool make_room(struct op *op, const struct conv *conv, struct room *room,
                      struct error *err)
{
    struct layerwise *net = op->net;
    const struct extent *in = &op->node->in, *out = &op->node->out;
    long widest = conv->channels > conv->outputs ? conv->channels : conv->outputs;
    long most = in->height > out->height ? in->height : out->height;
    size_t type = dnn_type_size(net->type), sums = (size_t)(pixels_of(conv, most) * widest);

    room->input =
        layerwise_take(net, grid_numbers(conv, out->height, conv->channels) * type, err);
    room->slope = layerwise_take(net, grid_numbers(conv, in->height, conv->outputs) * type, err);
    room->sums = layerwise_take(net, sums * sizeof(float), err);
    room->weight = layerwise_take(
        net, (size_t)(conv->taps * conv->channels * conv->outputs) * sizeof(float), err);
    room->bias = layerwise_take(net, (size_t)conv->outputs * sizeof(double), err);
    room->row = layerwise_take(net, (size_t)conv->outputs * sizeof(float), err);
    return room->input && room->slope && room->sums && room->weight && room->bias && room->row;
}

static bool make_products(struct op *op, struct conv *conv, struct error *err)
{
    struct layerwise *net = op->net;
    long channels = conv->channels, outputs = conv->outputs;
    long pixels = pixels_of(conv, op->node->out.height);
    struct dnn_product forward = {
        .left = {.rows = pixels, .columns = conv->together * channels, .stride = channels},
        .right = {.rows = conv->together * channels, .columns = outputs}};
    struct dnn_product to_input = {
        .left = {.rows = pixels_of(conv, op->node->in.height),
                 .columns = conv->together * outputs,
                 .stride = outputs},
        .right = {.rows = conv->together * outputs, .columns = channels}};
    const struct dnn_product to_weight = {.left = {.rows = conv->together * channels,
                                                   .columns = pixels,
                                                   .transposed = true,
                                                   .stride = channels},
                                          .right = {.rows = pixels, .columns = outputs},
                                          .adds = true};

    conv->forward = product_alone(net, forward, err);
    conv->to_weight = product_alone(net, to_weight, err);
    forward.adds = true;
    conv->forward_more = product_alone(net, forward, err);
    if (!conv->forward || !conv->to_weight || !conv->forward_more || !op->to_input)
        return conv->forward && conv->to_weight && conv->forward_more;
    conv->to_input = product_alone(net, to_input, err);
    to_input.adds = true;
    conv->to_input_more = product_alone(net, to_input, err);
    return conv->to_input && conv->to_input_more;
}

/* Neighbouring taps of a line are one product for tiles. In f32 each tap is summed by itself: in
 * one long sum the rounding is three times as large, decides three times as many ReLUs near zero,
 * and picks among nearly equal numbers of a pool otherwise than exact sums do. */
static void measure(const struct op *op, struct conv *conv)
{
    const struct node *node = op->node;
    long kernel = node->kernel, channels = node->in.columns;

    conv->outputs = node->columns;
    conv->by_windows = channels < FEW_CHANNELS && !op->to_input;
    if (conv->by_windows) {
        conv->taps = conv->together = 1;
        conv->channels = channels * kernel * kernel;
        conv->pitch = node->out.width;
        return;
    }
    conv->taps = kernel * kernel;
    conv->channels = channels;
    conv->spread = kernel - 1;
    conv->pitch = node->in.width + conv->spread;
    conv->together = op->net->has_tiles ? kernel : 1;
    conv->slope_padding = conv->spread - node->padding;
}

static bool make(struct op *op, struct error *err)
{
    struct conv *conv = op->own = layerwise_take(op->net, sizeof *conv, err);
    size_t bytes;

    if (!conv)
        return false;
    measure(op, conv);
    bytes = (size_t)(conv->taps * conv->channels * conv->outputs) * dnn_type_size(op->net->type);
    conv->forward_weight = layerwise_take(op->net, bytes, err);
    conv->back_weight = layerwise_take(op->net, bytes, err);
    conv->rooms = layerwise_take(op->net, (size_t)op->net->threads * sizeof *conv->rooms, err);
    if (!conv->forward_weight || !conv->back_weight || !conv->rooms)
        return false;
    for (int i = 0; i < op->net->threads; i++)
        if (!make_room(op, conv, &conv->rooms[i], err))
            return false;
    return make_products(op, conv, err);
}

/* Brings the weights of some outputs to the order of the products. */
static void arrange_weights(struct op *op, struct share outputs)
{
    const struct conv *conv = op->own;
    struct layerwise *net = op->net;
    size_t type = dnn_type_size(net->type);
    long channels = conv->channels, all = conv->outputs;

    for (long o = outputs.begin; o < outputs.end; o++)
        for (long c = 0; c < channels; c++) {
            void *taps =
                operand_at(net, operand_of_parameter(op, 0), (o * channels + c) * conv->taps);
            long last = (conv->taps - 1) * all * channels;

            grid_copy(type, taps, conv->taps, operand_at(net, conv->forward_weight, c * all + o),
                      channels * all);
            grid_copy(type, taps, conv->taps,
                      operand_at(net, conv->back_weight, last + o * channels + c),
                      -channels * all);
        }
}

static struct grid input_grid(const struct op *op)
{
    const struct conv *conv = op->own;
    const struct extent *in = &op->node->in;

    return (struct grid){in->height, in->width, conv->channels, conv->pitch, op->node->padding};
}

static struct grid output_grid(const struct op *op, long padding)
{
    const struct conv *conv = op->own;
    const struct extent *out = &op->node->out;

    return (struct grid){out->height, out->width, conv->outputs, conv->pitch, padding};
}

static void lay_input(struct op *op, const struct room *room, struct image image)
{
    const struct conv *conv = op->own;
    const struct grid grid = input_grid(op);

    if (conv->by_windows)
        grid_lay_windows(op->net, op->node, image, room->input);
    else
        grid_lay_operand(op->net, &grid, image, room->input);
}

/* Pixels of the grid from what a window's first tap sees to what another one sees. */
static long tap_pixel(const struct op *op, long tap)
{
    const struct conv *conv = op->own;

    return tap / op->node->kernel * conv->pitch + tap % op->node->kernel;
}

/* Bias and activation, of all numbers of the grid. */
static void finish_sums(const struct op *op, const struct room *room)
{
    const struct conv *conv = op->own;
    const struct element_finish finish = {.value = room->sums,
                                          .bias = value_of_parameter(op, 1),
                                          .activation = op->node->activation,
                                          .stride = conv->outputs,
                                          .row_end = pixels_of(conv, op->node->out.height),
                                          .end = conv->outputs};

    op->net->elements->finish(&finish);
}

static void forward(struct op *op, int thread)
{
    const struct conv *conv = op->own;
    struct layerwise *net = op->net;
    const struct room *room = &conv->rooms[thread];
    const struct share images = share_of(net->batch, 1, thread, net->threads);
    const struct grid grid = output_grid(op, 0);
    struct image input = {.tensor = op->input}, output = {.tensor = op->output};

    arrange_weights(op, share_of(conv->outputs, 1, thread, net->threads));
    team_meet(net->team);
    for (long n = images.begin; n < images.end; n++) {
        input.index = output.index = n;
        lay_input(op, room, input);
        for (long tap = 0; tap < conv->taps; tap += conv->together)
            product_run_alone(
                net, tap == 0 ? conv->forward : conv->forward_more, thread,
                operand_at(net, room->input, tap_pixel(op, tap) * conv->channels),
                operand_at(net, conv->forward_weight, tap * conv->channels * conv->outputs),
                room->sums);
        finish_sums(op, room);
        grid_take_value(&grid, room->sums, output);
    }
}

static void sum_bias(const struct op *op, const struct room *room, const float *slope)
{
    const struct conv *conv = op->own;
    const struct extent *out = &op->node->out;

    for (long line = 0; line < out->height; line++, slope += out->width * conv->outputs) {
        op->net->elements->sum_columns(slope, out->width, conv->outputs, 0, conv->outputs,
                                       room->row);
        for (long o = 0; o < conv->outputs; o++)
            room->bias[o] += (double)room->row[o];
    }
}

static void input_backward(struct op *op, const struct room *room, struct image image, int thread)
{
    const struct conv *conv = op->own;
    struct grid grid = input_grid(op);

    for (long tap = 0; tap < conv->taps; tap += conv->together)
        product_run_alone(
            op->net, tap == 0 ? conv->to_input : conv->to_input_more, thread,
            operand_at(op->net, room->slope, tap_pixel(op, tap) * conv->outputs),
            operand_at(op->net, conv->back_weight, tap * conv->channels * conv->outputs),
            room->sums);
    grid.padding = 0;
    grid_take_gradient(&grid, room->sums, image);
}

static void image_backward(struct op *op, const struct room *room, long n, int thread)
{
    const struct conv *conv = op->own;
    struct layerwise *net = op->net;
    const struct grid grid = output_grid(op, conv->slope_padding);
    const struct image input = {op->input, n}, output = {op->output, n};
    float *slope = op->output->gradient + n * op->output->width;
    void *pixels =
        operand_at(net, room->slope, conv->slope_padding * (conv->pitch + 1) * conv->outputs);

    if (op->node->activation == ACTIVATION_RELU)
        net->elements->relu_backward(op->output->value + n * op->output->width,
                                     (size_t)op->output->width, slope);
    sum_bias(op, room, slope);
    grid_lay_gradient(net, &grid, output, room->slope);
    lay_input(op, room, input);
    for (long tap = 0; tap < conv->taps; tap += conv->together)
        product_run_alone(net, conv->to_weight, thread,
                          operand_at(net, room->input, tap_pixel(op, tap) * conv->channels),
                          pixels, room->weight + tap * conv->channels * conv->outputs);
    if (op->to_input)
        input_backward(op, room, input, thread);
}

/* Sums what the threads have found, in their order: the gradient of some outputs. */
static void sum_rooms(struct op *op, struct share outputs)
{
    const struct conv *conv = op->own;
    float *weight = gradient_of_parameter(op, 0), *bias = gradient_of_parameter(op, 1);

    for (long o = outputs.begin; o < outputs.end; o++) {
        double sum = 0;

        for (int i = 0; i < op->net->threads; i++)
            sum += conv->rooms[i].bias[o];
        bias[o] = (float)sum;
        for (long c = 0; c < conv->channels; c++)
            for (long tap = 0; tap < conv->taps; tap++) {
                long at = (tap * conv->channels + c) * conv->outputs + o;
                float total = conv->rooms[0].weight[at];

                for (int i = 1; i < op->net->threads; i++)
                    total += conv->rooms[i].weight[at];
                weight[(o * conv->channels + c) * conv->taps + tap] = total;
            }
    }
}

static void backward(struct op *op, int thread)
{
    const struct conv *conv = op->own;
    struct layerwise *net = op->net;
    const struct room *room = &conv->rooms[thread];
    const struct share images = share_of(net->batch, 1, thread, net->threads);

    memset(room->weight, 0,
           (size_t)(conv->taps * conv->channels * conv->outputs) * sizeof *room->weight);
    memset(room->bias, 0, (size_t)conv->outputs * sizeof *room->bias);
    for (long n = images.begin; n < images.end; n++)
        image_backward(op, room, n, thread);
    team_meet(net->team);
    sum_rooms(op, share_of(conv->outputs, 1, thread, net->threads));
}

const struct op_functions conv_functions = {make, forward, backward};
