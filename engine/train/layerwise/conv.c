/* A convolution of stride 1 as products of matrices whose rows are pixels. Each thread takes
 * images of its own, and lays out one at a time in a grid: pixel after pixel, all channels of
 * each, with zeros around the image; the zeros behind a line are those before the next one. What
 * one tap of the kernel sees of all pixels is then the grid itself, from another pixel on.
 * Between the lines of the result products make numbers that are no pixels of it; they are not
 * read.
 *
 * An image without padding is its own grid. One of few channels is laid out as windows instead:
 * each pixel has all that its window sees, and the kernel has one tap.
 * Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/kinds.h"

#include "engine/train/layerwise/grid.h"
#include "engine/train/layerwise/memory.h"
#include "engine/train/layerwise/product.h"

#include <string.h>

#define FEW_CHANNELS 16

/* What one thread works with. Grids have the type of operands. */
struct room {
    void *slope;   /* a grid: of the gradient of the output */
    float *sums;   /* a grid's pixels: a result, before it is a tensor's */
    float *weight; /* (taps, channels, outputs): the gradient of the thread's images */
    double *bias;  /* (outputs) */
    float *row;    /* (outputs) */
    float *line;   /* a line of the output */
};

struct conv {
    long taps, channels, outputs; /* channels: of a pixel of the grid */
    bool by_windows;              /* the grid has windows instead of channels */
    bool as_it_lies;              /* the input is its own grid */
    long pitch;                   /* pixels of a line of the grid */
    long spread;   /* lines, and pixels of a line, from the first tap to the last */
    long together; /* taps of one product: neighbours in the grid */
    long slope_padding;
    void *forward_weight; /* (taps, channels, outputs), an operand */
    void *back_weight;    /* (taps, outputs, channels), the taps from the last to the first */
    const struct product_alone *forward, *forward_more, *to_weight, *to_input, *to_input_more;
    void *inputs;         /* (batch): grids, laid on the way forward; NULL: as they lie */
    size_t input_numbers; /* of one of them */
    struct room *rooms;   /* (threads) */
};

/* Pixels that a product computes: from the first to the last of an image of the result. */
static long pixels_of(const struct conv *conv, const struct extent *result)
{
    return (result->height - 1) * conv->pitch + result->width;
}

/* Of the grid of so many results: the last one's window ends behind the last line. */
static size_t grid_numbers(const struct conv *conv, long lines, long channels)
{
    return (size_t)(((lines + conv->spread) * conv->pitch + conv->spread) * channels);
}

static bool make_room(struct op *op, const struct conv *conv, struct room *room,
                      struct error *err)
{
    struct layerwise *net = op->net;
    const struct extent *in = &op->node->in, *out = &op->node->out;
    long widest = conv->channels > conv->outputs ? conv->channels : conv->outputs;
    long most = in->height > out->height ? in->height : out->height;
    size_t type = dnn_type_size(net->type), sums = (size_t)(most * conv->pitch * widest);

    room->slope = layerwise_take(net, grid_numbers(conv, in->height, conv->outputs) * type, err);
    room->sums = layerwise_take(net, sums * sizeof(float), err);
    room->weight = layerwise_take(
        net, (size_t)(conv->taps * conv->channels * conv->outputs) * sizeof(float), err);
    room->bias = layerwise_take(net, (size_t)conv->outputs * sizeof(double), err);
    room->row = layerwise_take(net, (size_t)conv->outputs * sizeof(float), err);
    room->line = layerwise_take(net, (size_t)(out->width * conv->outputs) * sizeof(float), err);
    return room->slope && room->sums && room->weight && room->bias && room->row && room->line;
}

static bool make_products(struct op *op, struct conv *conv, struct error *err)
{
    struct layerwise *net = op->net;
    long channels = conv->channels, outputs = conv->outputs;
    long pixels = pixels_of(conv, &op->node->out);
    struct dnn_product forward = {
        .left = {.rows = pixels, .columns = conv->together * channels, .stride = channels},
        .right = {.rows = conv->together * channels, .columns = outputs}};
    struct dnn_product to_input = {
        .left = {.rows = pixels_of(conv, &op->node->in),
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

/* Neighbouring taps of a line are one product for tiles of bf16. In f32 each tap is summed by
 * itself: in one long sum the rounding is three times as large, decides three times as many ReLUs
 * near zero, and picks among nearly equal numbers of a pool otherwise than exact sums do. */
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
    conv->pitch = node->in.width + node->padding;
    conv->as_it_lies = node->padding == 0 && op->input->channels_last;
    conv->together = op->net->has_tiles && op->net->type == DNN_BF16 ? kernel : 1;
    conv->slope_padding = conv->spread - node->padding;
}

static bool make_inputs(struct op *op, struct conv *conv, struct error *err)
{
    size_t type = dnn_type_size(op->net->type);

    conv->input_numbers = grid_numbers(conv, op->node->out.height, conv->channels);
    conv->inputs =
        layerwise_take(op->net, (size_t)op->net->batch * conv->input_numbers * type, err);
    return conv->inputs != NULL;
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
    if (!conv->forward_weight || !conv->back_weight || !conv->rooms ||
        (!conv->as_it_lies && !make_inputs(op, conv, err)))
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

/* The grid of an image of the input. */
static void *input_at(const struct op *op, long n)
{
    const struct conv *conv = op->own;

    if (conv->as_it_lies)
        return operand_at(op->net, op->input->operand, n * op->input->width);
    return operand_at(op->net, conv->inputs, n * (long)conv->input_numbers);
}

static void lay_input(const struct op *op, long n)
{
    const struct conv *conv = op->own;
    const struct image image = {op->input, n};
    const struct grid grid = input_grid(op);

    if (conv->by_windows)
        grid_lay_windows(op->net, op->node, image, input_at(op, n));
    else if (!conv->as_it_lies)
        grid_lay_operand(op->net, &grid, image, input_at(op, n));
}

/* Pixels of the grid from what a window's first tap sees to what another one sees. */
static long tap_pixel(const struct op *op, long tap)
{
    const struct conv *conv = op->own;

    return tap / op->node->kernel * conv->pitch + tap % op->node->kernel;
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

        finish.from = sums + line * conv->pitch * conv->outputs;
        finish.value = op->output->value + place;
        finish_operand(op->net, op->output, place, &finish);
        op->net->elements->finish(&finish);
    }
}

static void forward(struct op *op, int thread)
{
    const struct conv *conv = op->own;
    struct layerwise *net = op->net;
    const struct room *room = &conv->rooms[thread];
    const struct share images = share_of(net->batch, 1, thread, net->threads);

    arrange_weights(op, share_of(conv->outputs, 1, thread, net->threads));
    team_meet(net->team);
    for (long n = images.begin; n < images.end; n++) {
        void *grid = input_at(op, n);

        lay_input(op, n);
        for (long tap = 0; tap < conv->taps; tap += conv->together)
            product_run_alone(
                net, tap == 0 ? conv->forward : conv->forward_more, thread,
                operand_at(net, grid, tap_pixel(op, tap) * conv->channels),
                operand_at(net, conv->forward_weight, tap * conv->channels * conv->outputs),
                room->sums);
        finish_sums(op, room->sums, n);
    }
}

/* The gradient of an image's output behind its activation, line by line: into the bias, and into
 * a grid. */
static void lay_slope(struct op *op, const struct room *room, long n)
{
    const struct conv *conv = op->own;
    const struct elements *elements = op->net->elements;
    const struct grid grid = output_grid(op, conv->slope_padding);
    long run = grid.width * conv->outputs;

    for (long line = 0; line < grid.height; line++) {
        long place = n * op->output->width + line * run;
        const float *slope = op->output->gradient + place;

        if (op->node->activation == ACTIVATION_RELU) {
            elements->relu_backward(op->output->value + place, slope, (size_t)run, room->line);
            slope = room->line;
        }
        elements->sum_columns(slope, grid.width, conv->outputs, 0, conv->outputs, room->row);
        for (long o = 0; o < conv->outputs; o++)
            room->bias[o] += (double)room->row[o];
        grid_lay_line(op->net, &grid, line, slope, room->slope);
    }
}

static void input_backward(struct op *op, const struct room *room, struct image image, int thread)
{
    const struct conv *conv = op->own;
    float *gradient = op->input->gradient + image.index * op->input->width;
    struct grid grid = input_grid(op);

    for (long tap = 0; tap < conv->taps; tap += conv->together)
        product_run_alone(
            op->net, tap == 0 ? conv->to_input : conv->to_input_more, thread,
            operand_at(op->net, room->slope, tap_pixel(op, tap) * conv->outputs),
            operand_at(op->net, conv->back_weight, tap * conv->channels * conv->outputs),
            conv->as_it_lies ? gradient : room->sums);
    grid.padding = 0;
    if (!conv->as_it_lies)
        grid_take_gradient(&grid, room->sums, image);
}

static void image_backward(struct op *op, const struct room *room, long n, int thread)
{
    const struct conv *conv = op->own;
    struct layerwise *net = op->net;
    const struct image input = {op->input, n};
    void *pixels =
        operand_at(net, room->slope, conv->slope_padding * (conv->pitch + 1) * conv->outputs);
    void *grid = input_at(op, n);

    lay_slope(op, room, n);
    for (long tap = 0; tap < conv->taps; tap += conv->together)
        product_run_alone(net, conv->to_weight, thread,
                          operand_at(net, grid, tap_pixel(op, tap) * conv->channels), pixels,
                          room->weight + tap * conv->channels * conv->outputs);
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
