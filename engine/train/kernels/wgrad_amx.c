/* Products of bf16 tiles. The pairs of pixels lie in a grid in which each row of the image is
 * followed by zeros, and so is each image; what a tap of a 3x3 kernel sees is then the whole
 * grid, shifted, and the pairs of all images are one long row that is cut into tiles.
 * Tested by tests/engine/train/kernels/wgrad_test.c. */
#include "common/order.h"
#include "engine/train/kernels/wgrad_kinds.h"
#include "engine/train/kernels/wgrad_pack.h"
#include "engine/train/kernels/wgrad_stem.h"

#ifdef __x86_64__
#include "engine/train/kernels/transpose16.h"
#include "engine/train/kernels/wgrad_product.h"

#include <immintrin.h>
#include <limits.h>
#include <string.h>

#define PACK_TARGET __attribute__((target("avx512f,avx512bw")))

/* Pairs of a 3x3 convolution that are packed at a time, about: panels of them fit into a
 * second-level cache of 2 MB. The emulation is slow, and has to see several strips of small
 * tensors. */
#ifndef WGRAD_EMULATE_TILES
#define STRIP_3X3 4096
#else
#define STRIP_3X3 192
#endif

/* Pairs of a 1x1 convolution. A panel of columns is used for one tap only, and with a panel of
 * rows fits into a first-level cache; but each strip reads and writes all the weights, and where
 * these are many, fewer strips cost less. */
static const struct {
    long weights, pairs; /* up to so many weights; multiples of a tile */
} strips_1x1[] = {
#ifndef WGRAD_EMULATE_TILES
    {20000, 128},
    {300000, 192},
    {LONG_MAX, 512},
#else
    {2500, 48},
    {LONG_MAX, 64},
#endif
};

/* What is packed at a time: pairs of pixels for kernel 1, else groups of wgrad_pairing. */
struct strip {
    long begin, end;
    long depth; /* of the products, in tiles */
    bool accumulate;
};

/* How the work is cut, and where things lie. */
struct job {
    const struct wgrad_shape *shape;
    const struct wgrad_memory *memory;
    struct wgrad_sides sides;
    struct wgrad_pairing pairing;
    long all, strip; /* groups or pairs */
    long depth;      /* of the longest strip */
    /* The grid: positions in a row and rows in a group, as the output has them. The input has
     * `stride` times as many positions, and lies in `stride` planes: the kernel's rows 0 and 2
     * see every second row of it, row 1 the others. */
    long pitch, group_rows, plane_pairs;
    uint32_t *tiles, *panels; /* rows of the result, transposed; columns */
};

static long tiles_for(long pairs)
{
    return (pairs + TILE - 1) / TILE;
}

/* Equal strips instead of a short last one; all but the last are whole `units`. */
static long strip_of(long all, long wanted, long unit)
{
    long units = (all + unit - 1) / unit, strips = (all + wanted - 1) / wanted;

    return (units + strips - 1) / strips * unit;
}

static long strip_1x1(const struct wgrad_shape *shape)
{
    int i = 0;

    while (shape->in_channels * shape->out_channels > strips_1x1[i].weights)
        i++;
    return strips_1x1[i].pairs;
}

static struct job wgrad_amx_plan(const struct wgrad_shape *shape,
                                 const struct wgrad_memory *memory)
{
    struct job job = {.shape = shape, .memory = memory, .pairing = wgrad_pairing(shape)};
    long group;

    job.sides = wgrad_sides(shape, memory);
    if (shape->kernel == 1) {
        job.all = (shape->pixels + 1) / 2;
        job.strip = strip_of(job.all, strip_1x1(shape), TILE);
        job.depth = tiles_for(job.strip);
        job.plane_pairs = job.depth * TILE;
        return job;
    }
    job.pitch = shape->out_size + 1;
    /* Where both neighbours of a group's edge are padding, they share it. */
    job.group_rows = job.pairing.rows + (shape->stride == 2 || job.pairing.images == 2 ? 1 : 2);
    group = job.pitch * job.group_rows;
    job.all = job.pairing.groups;
    job.strip = strip_of(job.all, STRIP_3X3 < group ? 1 : STRIP_3X3 / group, 1);
    job.depth = tiles_for(job.strip * group);
    job.plane_pairs = shape->stride * (job.depth * TILE + 2 * job.pitch) + 2;
    return job;
}

static size_t tile_words(const struct job *job)
{
    return (size_t)(job->depth * TILE * job->sides.row_channels);
}

size_t wgrad_amx_scratch(const struct wgrad_shape *shape)
{
    struct job job;
    size_t panels;

    if (wgrad_is_stem(shape))
        return wgrad_stem_scratch(shape);
    job = wgrad_amx_plan(shape, &(struct wgrad_memory){0});
    panels = (size_t)(job.plane_pairs * shape->stride * PANEL);
    return (tile_words(&job) + panels) * sizeof(uint32_t);
}

/* From a packed panel to tiles whose rows are channels: [half of the panel][depth][channel]. */
static PACK_TARGET void transpose_panel(const uint32_t *panel, long depth, uint32_t *ret_tiles)
{
    for (long half = 0; half < 2; half++)
        for (long k = 0; k < depth; k++) {
            const uint32_t *from = panel + k * TILE * PANEL + half * TILE;
            uint32_t *to = ret_tiles + (half * depth + k) * TILE_WORDS;
            __m512i rows[TILE];

            for (int i = 0; i < TILE; i++)
                rows[i] = _mm512_load_si512(from + i * PANEL);
            transpose16(rows);
            for (int i = 0; i < TILE; i++)
                _mm512_store_si512(to + i * TILE, rows[i]);
        }
}

static void clear_pairs(uint32_t *panel, long begin, long end)
{
    memset(panel + begin * PANEL, 0, (size_t)((end - begin) * PANEL) * sizeof *panel);
}

/* One panel of some pixels that lie one behind the other. */
static void pack_pixels(const struct job *job, const struct strip *strip, const uint16_t *values,
                        long channels, long channel)
{
    long begin = 2 * strip->begin, pixels = least_of(2 * strip->end, job->shape->pixels) - begin;

    wgrad_pack_pixels(values + begin * channels, pixels, channels, channel, job->panels);
    clear_pairs(job->panels, strip->end - strip->begin, strip->depth * TILE);
}

/* One panel of the output's grid. */
static void pack_outputs(const struct job *job, const struct strip *strip, long channel)
{
    long at = 0, size = job->shape->out_size;

    for (long group = strip->begin; group < strip->end; group++)
        for (long row = 0; row < job->group_rows; row++) {
            struct wgrad_pairs pairs = wgrad_output_row(job->shape, job->sides.rows, group, row);

            if (row >= job->pairing.rows)
                pairs.first = pairs.second = NULL;
            wgrad_pack(&pairs, channel, job->panels + at * PANEL);
            clear_pairs(job->panels, at + size, at + job->pitch);
            at += job->pitch;
        }
    clear_pairs(job->panels, at, strip->depth * TILE);
}

/* One panel of the input's grid, all planes. Its first row is the one above the image, and one
 * pair of zeros stands before that. */
static void pack_inputs(const struct job *job, const struct strip *strip, long channel)
{
    long stride = job->shape->stride, pitch = stride * job->pitch, size = job->shape->in_size;

    for (long plane = 0; plane < stride; plane++) {
        uint32_t *panel = job->panels + plane * job->plane_pairs * PANEL;
        long at = 1;

        clear_pairs(panel, 0, at);
        for (long group = strip->begin; group < strip->end; group++)
            for (long row = 0; row < job->group_rows; row++) {
                struct wgrad_pairs pairs = wgrad_input_row(job->shape, job->sides.columns, group,
                                                           stride * row + plane - 1);

                wgrad_pack(&pairs, channel, panel + at * PANEL);
                clear_pairs(panel, at + size, at + pitch);
                at += pitch;
            }
        clear_pairs(panel, at, job->plane_pairs);
    }
}

static void pack_rows(const struct job *job, const struct strip *strip)
{
    const struct wgrad_sides *sides = &job->sides;
    uint32_t *tiles = job->tiles;

    for (long channel = sides->row_begin; channel < sides->row_end; channel += PANEL) {
        if (job->shape->kernel == 1)
            pack_pixels(job, strip, sides->rows, sides->row_channels, channel);
        else
            pack_outputs(job, strip, channel);
        transpose_panel(job->panels, strip->depth, tiles);
        tiles += strip->depth * TILE * PANEL;
    }
}

/* All taps of one panel of rows with one panel of columns. */
static void multiply_taps(const struct job *job, const struct strip *strip, long row, long column)
{
    const struct wgrad_sides *sides = &job->sides;
    long kernel = job->shape->kernel, stride = job->shape->stride;
    long size = sides->row_channels * sides->column_channels;
    struct product product = {
        .rows = job->tiles + (row - sides->row_begin) * strip->depth * TILE,
        .depth = strip->depth,
        .column_step = stride * PANEL,
        .stride = sides->column_channels,
        .tap = size,
        .accumulate = strip->accumulate,
    };

    for (long h = 0; h < kernel; h++) {
        /* The kernel's row chooses the plane and how far down in it; its first column sees the
         * pair before the grid. */
        long shift = h % stride * job->plane_pairs + h / stride * stride * job->pitch;

        product.columns = job->panels + shift * PANEL;
        product.sums =
            job->memory->weights + h * kernel * size + row * sides->column_channels + column;
        if (kernel == 1)
            wgrad_multiply(&product);
        else
            multiply_three(&product);
    }
}

static void run_strip(const struct job *job, const struct strip *strip)
{
    const struct wgrad_sides *sides = &job->sides;

    pack_rows(job, strip);
    for (long column = sides->column_begin; column < sides->column_end; column += PANEL) {
        if (job->shape->kernel == 1)
            pack_pixels(job, strip, sides->columns, sides->column_channels, column);
        else
            pack_inputs(job, strip, column);
        for (long row = sides->row_begin; row < sides->row_end; row += PANEL)
            multiply_taps(job, strip, row, column);
    }
}

static void multiply_stem(const struct wgrad_stem_product *stem)
{
    const struct product product = {
        .rows = stem->rows,
        .columns = stem->columns,
        .depth = stem->depth,
        .column_step = STEM_STEP,
        .sums = stem->sums,
        .stride = PANEL,
        .accumulate = true,
    };

    wgrad_multiply(&product);
}

static const struct wgrad_stem_kind stem_kind = {transpose_panel, multiply_stem};
_Static_assert(STEM_DEPTH == TILE, "a product is as deep as a tile");

static void run_strips(const struct wgrad_shape *shape, const struct wgrad_memory *memory)
{
    struct job job = wgrad_amx_plan(shape, memory);
    long group = shape->kernel == 1 ? 1 : job.pitch * job.group_rows;

    job.tiles = memory->scratch;
    job.panels = job.tiles + tile_words(&job);
    for (long begin = 0; begin < job.all; begin += job.strip) {
        struct strip strip = {.begin = begin, .end = least_of(begin + job.strip, job.all)};

        strip.depth = tiles_for((strip.end - begin) * group);
        strip.accumulate = memory->accumulate || begin > 0;
        run_strip(&job, &strip);
    }
}

TILE_TARGET void wgrad_amx_run(const struct wgrad_shape *shape, const struct wgrad_memory *memory)
{
    tiles_use();
    if (wgrad_is_stem(shape))
        wgrad_stem_run(shape, memory, &stem_kind);
    else
        run_strips(shape, memory);
    tile_release();
}
#endif
