/* One gradient of conv_winograd.h. CMake compiles this file for each instruction set and tile, as
 * conv_winograd_body.c. Tiles of the input and of the output's gradient are transformed into
 * NUMBERS matrices each, (tiles, in) and (tiles, out); the products of the one's transpose with
 * the other are summed as [number][out / panel][in][panel].
 * Tested by tests/engine/train/kernels/conv/conv_winograd_weights_test.c. */
#include "engine/train/kernels/conv/conv_body.h"
#include "engine/train/kernels/conv/conv_winograd.h"
#include "engine/train/kernels/conv/conv_winograd_tile.h"
#include "engine/train/kernels/vec_block.h"

#define GROUP 48 /* tiles whose products are summed in registers */
#define TAPS (KERNEL * KERNEL)

_Static_assert(VEC_BLOCK <= APART, "the last block reads channels behind the last one");

struct job {
    const struct winograd_gradient_call *call;
    long in, out;        /* channels */
    float *left, *right; /* (NUMBERS) matrices of (GROUP, in) and of (GROUP, out) */
    long left_apart, right_apart;
    bool add; /* to what the sums are */
};

static size_t sums_size(const struct conv_shape *shape)
{
    return (size_t)(NUMBERS * shape->in_channels * shape->out_channels) * sizeof(float);
}

static size_t scratch_size(const struct conv_shape *shape)
{
    long channels = shape->in_channels + shape->out_channels;

    return (size_t)(NUMBERS * (GROUP * channels + 2 * APART)) * sizeof(float);
}

/* One tile of the output's gradient: the transpose of what makes a result of products. */
static void tile_gradient(const struct tiled *images, long tile, long apart, float *ret_rows)
{
    const stored *pixels[TILE * TILE];

    tile_pixels(images, tile, TILE, pixels);
    for (long c = 0; c < images->channels; c += VEC_LANES) {
        vec columns[SIDE * TILE], from[TILE];

#pragma GCC unroll 8
        for (int j = 0; j < TILE; j++) {
            for (int i = 0; i < TILE; i++)
                from[i] = STORED_LOAD(pixels[i * TILE + j] + c);
#pragma GCC unroll 8
            for (int i = 0; i < SIDE; i++)
                combine_line(&result_matrix[0][i], SIDE, TILE, from, 1, &columns[i * TILE + j]);
        }
#pragma GCC unroll 8
        for (int i = 0; i < SIDE; i++)
#pragma GCC unroll 8
            for (int j = 0; j < SIDE; j++) {
                vec number;

                combine_line(&result_matrix[0][j], SIDE, TILE, columns + i * TILE, 1, &number);
                VEC_STORE(ret_rows + (i * SIDE + j) * apart + c, number);
            }
    }
}

/* sums += a block of input channels * one panel of output channels, over the tiles. */
VEC_INLINE void multiply_block(const struct job *job, const float *left, const float *right,
                               long tiles, vec sums[VEC_BLOCK][VEC_WIDE])
{
#pragma GCC unroll 2
    for (long tile = 0; tile < tiles; tile++, left += job->in, right += job->out) {
        vec row[VEC_WIDE];

        for (int v = 0; v < VEC_WIDE; v++)
            row[v] = VEC_LOAD(right + v * VEC_LANES);
        for (int r = 0; r < VEC_BLOCK; r++) {
            vec all = VEC_ALL(left[r]);

            for (int v = 0; v < VEC_WIDE; v++)
                sums[r][v] = VEC_FMA(all, row[v], sums[r][v]);
        }
    }
}

/* The block from input channel `first` on; `to` is its place in the sums. */
static void add_block(const struct job *job, const float *left, const float *right, long tiles,
                      long count, float *to)
{
    vec sums[VEC_BLOCK][VEC_WIDE];

    block_clear(sums);
    multiply_block(job, left, right, tiles, sums);
    for (long r = 0; r < count; r++)
        for (int v = 0; v < VEC_WIDE; v++, to += VEC_LANES)
            VEC_STORE(to, job->add ? VEC_LOAD(to) + sums[r][v] : sums[r][v]);
}

static void add_number(const struct job *job, long number, long tiles)
{
    const float *left = job->left + number * job->left_apart;
    const float *right = job->right + number * job->right_apart;
    float *to = job->call->sums + number * job->in * job->out;

    for (long o = 0; o < job->out; o += VEC_PANEL)
        for (long i = 0; i < job->in; i += VEC_BLOCK) {
            long count = job->in - i < VEC_BLOCK ? job->in - i : VEC_BLOCK;

            add_block(job, left + i, right + o, tiles, count, to + o * job->in + i * VEC_PANEL);
        }
}

static void winograd_add(const struct conv_shape *shape,
                         const struct winograd_gradient_call *call)
{
    struct job job = {
        .call = call,
        .in = shape->in_channels,
        .out = shape->out_channels,
        .left = call->scratch,
        .add = !call->first,
    };
    long across = tiles_across(shape->out_size), all = call->images * across * across;
    struct tiled input = {.pixels = call->input,
                          .size = shape->in_size,
                          .pitch = call->pitch ? call->pitch : shape->in_size,
                          .channels = job.in,
                          .across = across,
                          .border = winograd_border(shape->in_size, shape->out_size)};
    struct tiled gradient = {.pixels = call->gradient,
                             .size = shape->out_size,
                             .pitch = shape->out_size,
                             .channels = job.out,
                             .across = across};

    job.left_apart = GROUP * job.in + APART;
    job.right_apart = GROUP * job.out + APART;
    job.right = job.left + NUMBERS * job.left_apart;
    if (call->first && all == 0)
        memset(call->sums, 0, sums_size(shape));
    for (long first = 0; first < all; first += GROUP, job.add = true) {
        long tiles = all - first < GROUP ? all - first : GROUP;

        for (long i = 0; i < tiles; i++) {
            tile_input(&input, first + i, job.left_apart, job.left + i * job.in);
            tile_gradient(&gradient, first + i, job.right_apart, job.right + i * job.out);
        }
        for (long number = 0; number < NUMBERS; number++)
            add_number(&job, number, tiles);
    }
}

VEC_INLINE void sum_copies(const struct winograd_gradient_sums *sums, long at, vec *ret)
{
    vec sum = VEC_LOAD(sums->copies[0] + at);

    for (int i = 1; i < sums->count; i++)
        sum += VEC_LOAD(sums->copies[i] + at);
    *ret = sum;
}

/* VEC_LANES output channels and one input channel: the transpose of what the weights go through
 * before they are multiplied. */
static void transform_sums(const struct winograd_gradient_sums *sums, long at, long apart,
                           vec ret_taps[TAPS])
{
    vec columns[KERNEL * SIDE], from[SIDE];

#pragma GCC unroll 8
    for (int j = 0; j < SIDE; j++) {
        for (int i = 0; i < SIDE; i++)
            sum_copies(sums, at + (i * SIDE + j) * apart, &from[i]);
#pragma GCC unroll 8
        for (int i = 0; i < KERNEL; i++)
            combine_line(&weight_matrix[0][i], KERNEL, SIDE, from, 1, &columns[i * SIDE + j]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < KERNEL; i++)
#pragma GCC unroll 8
        for (int j = 0; j < KERNEL; j++)
            combine_line(&weight_matrix[0][j], KERNEL, SIDE, columns + i * SIDE, 1,
                         &ret_taps[i * KERNEL + j]);
}

/* Of the output channels from o on and input channel i. */
static void write_taps(const vec taps[TAPS], const struct winograd_gradient_result *result,
                       long o, long i)
{
    const long *strides = result->strides;

    for (long tap = 0; tap < TAPS; tap++)
        for (long lane = 0; lane < VEC_LANES; lane++)
            result->values[(o + lane) * strides[0] + i * strides[1] + tap / KERNEL * strides[2] +
                           tap % KERNEL * strides[3]] = taps[tap][lane];
}

static void winograd_finish(const struct conv_shape *shape,
                            const struct winograd_gradient_sums *sums, int index, int of,
                            const struct winograd_gradient_result *result)
{
    long in = shape->in_channels, out = shape->out_channels, panels = out / VEC_PANEL;

    for (long p = panels * index / of; p < panels * (index + 1) / of; p++)
        for (long i = 0; i < in; i++)
            for (long j = 0; j < VEC_PANEL; j += VEC_LANES) {
                vec taps[TAPS];

                transform_sums(sums, (p * in + i) * VEC_PANEL + j, in * out, taps);
                write_taps(taps, result, p * VEC_PANEL + j, i);
            }
}

CONV_DESCRIBE(winograd_gradient, .type = STORED_TYPE, .out_multiple = VEC_PANEL,
              .in_multiple = VEC_LANES, .sums_size = sums_size, .scratch_size = scratch_size,
              .add = winograd_add, .finish = winograd_finish);
