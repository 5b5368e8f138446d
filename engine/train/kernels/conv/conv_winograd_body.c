/* One kernel of conv_winograd.h. CMake compiles this file for each instruction set:
 * CONV_NAME, CONV_ISA, VEC_BYTES and VEC_WIDE; and CONV_STORED_BF16, or not.
 *
 * A group of tiles goes through three steps: its input is transformed into NUMBERS matrices of
 * (tiles, k); each is multiplied by a matrix of transformed weights; what comes out, NUMBERS
 * matrices of (tiles, n), is transformed into the pixels of the result.
 * Tested by tests/engine/train/kernels/conv/conv_winograd_test.c. */
#include "engine/train/kernels/conv/conv_body.h"
#include "engine/train/kernels/conv/conv_end.h"
#include "engine/train/kernels/conv/conv_rows.h"
#include "engine/train/kernels/conv/conv_winograd.h"
#include "engine/train/kernels/conv/conv_winograd_tile.h"
#include "engine/train/kernels/vec_block.h"

#define GROUP 48                /* tiles, at most */
#define GROUP_BYTES (384 << 10) /* of transformed numbers: part of a second-level cache */
#define WEIGHTS_NEAR (1 << 20)  /* bytes of weights that may be read again for each group */

/* What one call works on. */
struct job {
    const struct conv_shape *shape;
    const struct conv_call *call;
    long size, across; /* of a result: pixels and tiles in each direction */
    long k, n;
    long group;      /* tiles of a group, a multiple of VEC_BLOCK */
    float *input;    /* (NUMBERS) matrices of (group, k), input_apart from one to the next */
    float *products; /* (NUMBERS) of (group, n) */
    long input_apart, products_apart;
};

/* ---- weights: [number][n / panel][k][panel] ---- */

static size_t panels_size(const struct conv_shape *shape)
{
    return (size_t)(NUMBERS * conv_k(shape) * conv_n(shape)) * sizeof(float);
}

/* The kernel of VEC_LANES channels from n on, rounded to what is stored; turned around for the
 * backward direction. */
static void gather_kernel(const struct conv_shape *shape, const struct conv_weights *weights,
                          long k, long n, vec ret_kernel[KERNEL * KERNEL])
{
    bool forward = shape->direction == CONV_FORWARD;

    for (int i = 0; i < KERNEL * KERNEL; i++) {
        int at = forward ? i : KERNEL * KERNEL - 1 - i;
        struct conv_tap tap = {.h = at / KERNEL, .w = at % KERNEL};
        struct conv_tap_weights of = conv_tap_weights(shape, weights, &tap);
        float lanes[VEC_LANES];

        for (long j = 0; j < VEC_LANES; j++)
            lanes[j] = of.from[(n + j) * of.n_step + k * of.k_step];
        ret_kernel[i] = VEC_LOAD(lanes);
        stored_round(&ret_kernel[i]);
    }
}

static void transform_kernel(const vec kernel[KERNEL * KERNEL], long apart, float *ret_numbers)
{
    vec rows[SIDE * KERNEL];

#pragma GCC unroll 8
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < KERNEL; j++)
            combine(weight_matrix[i], KERNEL, kernel + j, KERNEL, &rows[i * KERNEL + j]);
#pragma GCC unroll 8
    for (int i = 0; i < SIDE; i++)
#pragma GCC unroll 8
        for (int j = 0; j < SIDE; j++) {
            vec number;

            combine(weight_matrix[j], KERNEL, rows + i * KERNEL, 1, &number);
            VEC_STORE(ret_numbers + (i * SIDE + j) * apart, number);
        }
}

static void winograd_pack(const struct conv_shape *shape, const struct conv_weights *weights,
                          int index, int of, void *ret_panels)
{
    long k = conv_k(shape), n = conv_n(shape), panels = n / VEC_PANEL;

    for (long p = panels * index / of; p < panels * (index + 1) / of; p++)
        for (long c = 0; c < k; c++)
            for (long j = 0; j < VEC_PANEL; j += VEC_LANES) {
                vec kernel[KERNEL * KERNEL];

                gather_kernel(shape, weights, c, p * VEC_PANEL + j, kernel);
                transform_kernel(kernel, k * n,
                                 (float *)ret_panels + (p * k + c) * VEC_PANEL + j);
            }
}

/* ---- one group ---- */

/* One of the matrices. */
static void winograd_multiply(const struct job *job, long number, long tiles)
{
    const float *input = job->input + number * job->input_apart;
    const float *panel = (const float *)job->call->panels + number * job->k * job->n;
    float *products = job->products + number * job->products_apart;

    for (long channel = 0; channel < job->n; channel += VEC_PANEL, panel += job->k * VEC_PANEL)
        for (long first = 0; first < tiles; first += VEC_BLOCK) {
            vec sums[VEC_BLOCK][VEC_WIDE];
            const float *rows[VEC_BLOCK];

            block_clear(sums);
            for (int r = 0; r < VEC_BLOCK; r++)
                rows[r] = input + (first + r) * job->k;
            block_multiply(rows, 1, job->k, panel, sums);
            for (int r = 0; r < VEC_BLOCK; r++)
                for (int v = 0; v < VEC_WIDE; v++)
                    VEC_STORE(products + (first + r) * job->n + channel + v * VEC_LANES,
                              sums[r][v]);
        }
}

VEC_INLINE void transform_products(const struct job *job, const float *products,
                                   vec ret_pixels[TILE * TILE])
{
    vec columns[TILE * SIDE], from[SIDE];

#pragma GCC unroll 8
    for (int j = 0; j < SIDE; j++) {
        for (int i = 0; i < SIDE; i++)
            from[i] = VEC_LOAD(products + (i * SIDE + j) * job->products_apart);
#pragma GCC unroll 8
        for (int i = 0; i < TILE; i++)
            combine(result_matrix[i], SIDE, from, 1, &columns[i * SIDE + j]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < TILE; i++)
#pragma GCC unroll 8
        for (int j = 0; j < TILE; j++)
            combine(result_matrix[j], SIDE, columns + i * SIDE, 1, &ret_pixels[i * TILE + j]);
}

/* One vector of channels of one tile. Its pixels are summed among themselves before they are
 * added to the group's sums: TILE * TILE + GROUP additions in f32 round less than their product.
 */
VEC_INLINE void end_tile(const struct job *job, const enum conv_end_kind kind, const long at[3],
                         struct end_part *part)
{
    const struct conv_end *end = &job->call->end;
    long tile = at[0], channel = at[2];
    long image = tile / (job->across * job->across);
    long top = tile / job->across % job->across * TILE, left = tile % job->across * TILE;
    struct end_part of_tile = {0};
    vec pixels[TILE * TILE];

    transform_products(job, job->products + at[1] * job->n + channel, pixels);
    for (long i = 0; i < TILE * TILE; i++) {
        long y = top + i / TILE, x = left + i % TILE;
        struct end_place place = {end, job->n, channel, 0};

        if (y >= job->size || x >= job->size)
            continue;
        place.at = ((image * job->size + y) * job->size + x) * job->n + channel;
        end_vector(&place, kind, &pixels[i], &of_tile);
    }
    part->sum += of_tile.sum;
    part->product += of_tile.product;
    part->other += of_tile.other;
}

VEC_INLINE void end_group(const struct job *job, long first, long tiles,
                          const enum conv_end_kind kind)
{
    for (long channel = 0; channel < job->n; channel += VEC_PANEL) {
        struct end_sums sums = {0};

        for (long tile = 0; tile < tiles; tile++)
            for (int v = 0; v < VEC_WIDE; v++)
                end_tile(job, kind, (const long[3]){first + tile, tile, channel + v * VEC_LANES},
                         &sums.of[v]);
        if (kind != CONV_PLAIN)
            end_finish(&(struct end_place){&job->call->end, job->n, channel, 0}, kind, &sums);
    }
}

CONV_END_RUNS(end_group, (const struct job *job, long first, long tiles), job, first, tiles);

/* ---- the kernel ---- */

/* Many weights come from afar for each group, so that groups are as large as they can be;
 * otherwise what is transformed stays in cache. */
static long group_size(const struct conv_shape *shape)
{
    long each = NUMBERS * (conv_k(shape) + conv_n(shape)) * (long)sizeof(float);
    long blocks = GROUP_BYTES / (each * VEC_BLOCK);

    if (panels_size(shape) > WEIGHTS_NEAR || blocks * VEC_BLOCK > GROUP)
        return GROUP;
    return blocks < 1 ? VEC_BLOCK : blocks * VEC_BLOCK;
}

static struct job winograd_describe(const struct conv_shape *shape, const struct conv_call *call)
{
    long written = shape->direction == CONV_FORWARD ? shape->out_size : shape->in_size;
    struct job job = {
        .shape = shape,
        .call = call,
        .size = written,
        .across = tiles_across(written),
        .k = conv_k(shape),
        .n = conv_n(shape),
        .group = group_size(shape),
    };

    job.input_apart = job.group * job.k + APART;
    job.products_apart = job.group * job.n + APART;
    return job;
}

static size_t scratch_size(const struct conv_shape *shape, long images)
{
    struct job job = winograd_describe(shape, NULL);

    (void)images;
    return (size_t)(NUMBERS * (job.input_apart + job.products_apart)) * sizeof(float);
}

static void winograd_run(const struct conv_shape *shape, const struct conv_call *call)
{
    struct job job = winograd_describe(shape, call);
    long all = call->images * job.across * job.across;
    long read = shape->in_size + shape->out_size - job.size;
    struct tiled images = {.pixels = call->input,
                           .size = read,
                           .pitch = read,
                           .channels = job.k,
                           .across = job.across,
                           .border = winograd_border(read, job.size)};

    job.input = call->scratch;
    job.products = job.input + NUMBERS * job.input_apart;
    for (long first = 0; first < all; first += job.group) {
        long tiles = all - first < job.group ? all - first : job.group;
        long rows = (tiles + VEC_BLOCK - 1) / VEC_BLOCK * VEC_BLOCK;

        for (long i = 0; i < tiles; i++)
            tile_input(&images, first + i, job.input_apart, job.input + i * job.k);
        for (long number = 0; number < NUMBERS; number++) {
            memset(job.input + number * job.input_apart + tiles * job.k, 0,
                   (size_t)((rows - tiles) * job.k) * sizeof(float));
            winograd_multiply(&job, number, tiles);
        }
        runs[call->end.kind](&job, first, tiles);
    }
}

CONV_DESCRIBE(conv_kernel, .type = STORED_TYPE, .n_multiple = VEC_PANEL, .k_multiple = VEC_LANES,
              .unpadded = true, .panels_size = panels_size, .pack = winograd_pack,
              .scratch_size = scratch_size, .run = winograd_run);
