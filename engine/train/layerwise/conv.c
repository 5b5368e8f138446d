/* A convolution of stride 1 as products: each thread takes images of its own, and lays out the
 * windows of one image as a matrix (window, pixel) while it is in cache.
 * Tested by tests/engine/train/layerwise/layerwise_test.c. */
#include "engine/train/layerwise/kinds.h"

#include "common/cleanup.h"
#include "engine/train/layerwise/memory.h"
#include "engine/train/layerwise/product.h"

#include <math.h>

/* What one thread works with. */
struct room {
    void *windows;       /* (window, pixels), an operand */
    float *window_slope; /* the same, f32: its gradient */
    void *slope;         /* (channels, pixels): the gradient of an output as an operand */
    float *weight;       /* (channels, window): the gradient of the thread's images */
    double *bias;        /* (channels) */
};

struct conv {
    long window, pixels;
    long slices; /* of the window, that are summed one after another */
    const struct product_alone *forward, *forward_more, *to_weight, *to_window;
    struct room *rooms; /* (threads) */
};

static bool make_rooms(struct op *op, struct conv *conv, struct error *err)
{
    struct layerwise *net = op->net;
    size_t type = dnn_type_size(net->type), channels = (size_t)op->node->columns;
    size_t window = (size_t)conv->window, pixels = (size_t)conv->pixels;

    conv->rooms = layerwise_take(net, (size_t)net->threads * sizeof *conv->rooms, err);
    if (!conv->rooms)
        return false;
    for (int i = 0; i < net->threads; i++) {
        struct room *room = &conv->rooms[i];

        room->windows = layerwise_take(net, window * pixels * type, err);
        room->weight = layerwise_take(net, channels * window * sizeof(float), err);
        room->bias = layerwise_take(net, channels * sizeof(double), err);
        if (!room->windows || !room->weight || !room->bias)
            return false;
        if (net->rounds && !(room->slope = layerwise_take(net, channels * pixels * type, err)))
            return false;
        if (op->to_input &&
            !(room->window_slope = layerwise_take(net, window * pixels * sizeof(float), err)))
            return false;
    }
    return true;
}

/* In f32 a window is summed in slices of SLICE channels, and then the slices: in one long sum the
 * rounding is three times as large, and decides three times as many ReLUs near zero and picks
 * among nearly equal numbers of a pool otherwise than exact sums do. */
#define SLICE 4

static long slices_of(const struct op *op)
{
    long channels = op->node->in.columns;

    return !op->net->rounds && channels % SLICE == 0 ? channels / SLICE : 1;
}

static bool make(struct op *op, struct error *err)
{
    struct conv *conv = op->own = layerwise_take(op->net, sizeof *conv, err);
    const struct node *node = op->node;
    long channels = node->columns, window = node->in.columns * node->kernel * node->kernel;
    long pixels = node->out.height * node->out.width;
    long slices = slices_of(op), slice = window / slices;
    struct dnn_product forward = {.left = {.rows = channels, .columns = slice, .stride = window},
                                  .right = {.rows = slice, .columns = pixels}};
    const struct dnn_product to_weight = {
        .left = {.rows = channels, .columns = pixels},
        .right = {.rows = pixels, .columns = window, .transposed = true},
        .adds = true};
    const struct dnn_product to_window = {
        .left = {.rows = window, .columns = channels, .transposed = true},
        .right = {.rows = channels, .columns = pixels}};

    if (!conv)
        return false;
    conv->window = window;
    conv->pixels = pixels;
    conv->slices = slices;
    conv->forward = product_alone(op->net, forward, err);
    forward.adds = true;
    return conv->forward && (conv->forward_more = product_alone(op->net, forward, err)) &&
           (conv->to_weight = product_alone(op->net, to_weight, err)) &&
           (conv->to_window = product_alone(op->net, to_window, err)) &&
           make_rooms(op, conv, err);
}

/* One line of windows: where the image's numbers begin and end in an output line of `width`, for
 * a window column `x`. */
static struct share inside(const struct node *node, long x)
{
    long begin = node->padding - x, end = node->in.width + node->padding - x;

    return (struct share){begin > 0 ? begin : 0, end < node->out.width ? end : node->out.width};
}

/* The windows of one image: line (channel, y, x) has what the window's number y, x reads. */
static void lay_out_windows(const struct node *node, const char *image, size_t type,
                            char *windows)
{
    size_t line = (size_t)node->out.width * type;

    for (long c = 0; c < node->in.columns; c++)
        for (long k = 0; k < node->kernel * node->kernel; k++) {
            long y = k / node->kernel, x = k % node->kernel;
            const struct share in = inside(node, x);

            for (long row = 0; row < node->out.height; row++, windows += line) {
                long from = row + y - node->padding;
                long first = (c * node->in.height + from) * node->in.width + x - node->padding;

                if (from < 0 || from >= node->in.height) {
                    memset(windows, 0, line);
                    continue;
                }
                memset(windows, 0, (size_t)in.begin * type);
                memcpy(windows + (size_t)in.begin * type, image + (first + in.begin) * (long)type,
                       (size_t)(in.end - in.begin) * type);
                memset(windows + (size_t)in.end * type, 0,
                       (size_t)(node->out.width - in.end) * type);
            }
        }
}

/* The way back: adds each number of the windows to where it came from. */
static void collect_windows(const struct layerwise *net, const struct node *node,
                            const float *windows, float *image)
{
    for (long c = 0; c < node->in.columns; c++)
        for (long k = 0; k < node->kernel * node->kernel; k++) {
            long y = k / node->kernel, x = k % node->kernel;
            const struct share in = inside(node, x);

            for (long row = 0; row < node->out.height; row++, windows += node->out.width) {
                long from = row + y - node->padding;
                long first = (c * node->in.height + from) * node->in.width + x - node->padding;

                if (from >= 0 && from < node->in.height)
                    net->elements->add(windows + in.begin, (size_t)(in.end - in.begin),
                                       image + first + in.begin);
            }
        }
}

static void multiply_windows(struct op *op, const struct room *room, int thread, float *value)
{
    const struct conv *conv = op->own;
    long slice = conv->window / conv->slices;

    for (long i = 0; i < conv->slices; i++)
        product_run_alone(op->net, i == 0 ? conv->forward : conv->forward_more, thread,
                          operand_at(op->net, operand_of_parameter(op, 0), i * slice),
                          operand_at(op->net, room->windows, i * slice * conv->pixels), value);
}

static void forward(struct op *op, int thread)
{
    const struct conv *conv = op->own;
    struct layerwise *net = op->net;
    const struct room *room = &conv->rooms[thread];
    const struct share images = share_of(net->batch, 1, thread, net->threads);
    const float *bias = value_of_parameter(op, 1);
    float least = op->node->activation == ACTIVATION_RELU ? 0 : -INFINITY;
    size_t type = dnn_type_size(net->type);

    for (long n = images.begin; n < images.end; n++) {
        float *value = op->output->value + n * op->output->width;

        lay_out_windows(op->node, operand_at(net, op->input->operand, n * op->input->width), type,
                        room->windows);
        multiply_windows(op, room, thread, value);
        for (long c = 0; c < op->node->columns; c++, value += conv->pixels)
            for (long i = 0; i < conv->pixels; i++) {
                float sum = value[i] + bias[c];

                value[i] = sum < least ? least : sum;
            }
    }
}

static void sum_bias(const struct conv *conv, const float *slope, long channels, double *bias)
{
    for (long c = 0; c < channels; c++, slope += conv->pixels) {
        double sum = 0;

        for (long i = 0; i < conv->pixels; i++)
            sum += (double)slope[i];
        bias[c] += sum;
    }
}

static void image_backward(struct op *op, const struct room *room, long n, int thread)
{
    const struct conv *conv = op->own;
    struct layerwise *net = op->net;
    long width = op->output->width;
    float *slope = op->output->gradient + n * width;
    void *operand = net->rounds ? room->slope : slope;

    if (op->node->activation == ACTIVATION_RELU)
        net->elements->relu_backward(op->output->value + n * width, (size_t)width, slope);
    sum_bias(conv, slope, op->node->columns, room->bias);
    operand_round(net, slope, (struct share){0, width}, operand);
    lay_out_windows(op->node, operand_at(net, op->input->operand, n * op->input->width),
                    dnn_type_size(net->type), room->windows);
    product_run_alone(net, conv->to_weight, thread, operand, room->windows, room->weight);
    if (!op->to_input)
        return;
    product_run_alone(net, conv->to_window, thread, operand_of_parameter(op, 0), operand,
                      room->window_slope);
    memset(op->input->gradient + n * op->input->width, 0,
           (size_t)op->input->width * sizeof(float));
    collect_windows(net, op->node, room->window_slope,
                    op->input->gradient + n * op->input->width);
}

/* Sums what the threads have found, in their order. */
static void sum_rooms(struct op *op, int thread)
{
    const struct conv *conv = op->own;
    struct layerwise *net = op->net;
    long channels = op->node->columns;
    const struct share share = share_elements(net, (size_t)(channels * conv->window), thread);
    float *weight = gradient_of_parameter(op, 0), *bias = gradient_of_parameter(op, 1);
    size_t count = (size_t)(share.end - share.begin);

    memcpy(weight + share.begin, conv->rooms[0].weight + share.begin, count * sizeof *weight);
    for (int i = 1; i < net->threads; i++)
        net->elements->add(conv->rooms[i].weight + share.begin, count, weight + share.begin);
    if (thread > 0)
        return;
    for (long c = 0; c < channels; c++) {
        double sum = 0;

        for (int i = 0; i < net->threads; i++)
            sum += conv->rooms[i].bias[c];
        bias[c] = (float)sum;
    }
}

static void backward(struct op *op, int thread)
{
    const struct conv *conv = op->own;
    struct layerwise *net = op->net;
    const struct room *room = &conv->rooms[thread];
    const struct share images = share_of(net->batch, 1, thread, net->threads);
    size_t channels = (size_t)op->node->columns;

    memset(room->weight, 0, channels * (size_t)conv->window * sizeof *room->weight);
    memset(room->bias, 0, channels * sizeof *room->bias);
    for (long n = images.begin; n < images.end; n++)
        image_backward(op, room, n, thread);
    team_meet(net->team);
    sum_rooms(op, thread);
}

const struct op_functions conv_functions = {make, forward, backward};
