/* The bf16 kernel of conv.h by products of tiles. The left operand are rows of pixels as they lie
 * in memory, or in the grid; four tiles hold the sums of a block of 32 positions and 32 channels.
 * The end of a block runs between the products of the next one, in steps: the tiles work while
 * vectors do. */
#define VEC_BYTES 64
#include "engine/train/kernels/conv/conv_bf16.h"
#include "engine/train/kernels/conv/conv_body.h"
#include "engine/train/kernels/conv/conv_grid.h"
#include "engine/train/kernels/wgrad_tiles.h"

#include <stdatomic.h>

#ifndef CONV_NAME
#define CONV_NAME conv_amx_bf16
#define CONV_ISA CPU_AMX
#endif

#define BLOCK CONV_GRID_BLOCK /* positions: two tiles */
#define TILE_BYTES 64L        /* of a row */
#define LINE 64               /* bytes of a cache's line */
#define WEIGHTS_NEAR 1000000  /* bytes of weights that stay in a second-level cache */

_Static_assert(BLOCK == BF16_PANEL, "a block is as high as it is wide");

struct job {
    const struct conv_end *end;
    const char *base; /* pixel of position 0 for the first tap, without its offset */
    long step;        /* bytes from one position to the next */
    long positions;
    const int32_t *map; /* of each position; NULL: position and result are the same */
    int taps;
    long offsets[CONV_TAPS_MAX]; /* bytes */
    long depth, n;
    const uint16_t *panels;
    bool past_cache;
    bool in_order;   /* all panels go over one block, and blocks follow each other in memory */
    long lines_each; /* that a product asks for, of what comes later */
};

/* A block whose products are summed and whose end is not done yet. */
struct pending {
    const float *sums; /* [position][even channels, odd channels] */
    long position, channel;
    long first; /* rows before it belong to the block before */
};

/* Lines that are read later. */
struct ahead {
    const char *from;
    long lines; /* with each product */
};

/* Asks for what the end of a later block reads. In order, whole rows are asked for line by line:
 * the processor sees a stream and prefetches too. */
VEC_INLINE void ask_for_end(const struct job *job, const struct pending *pending,
                            const enum conv_end_kind kind, const long at[2],
                            const struct bf16_end *end)
{
    if (job->in_order)
        bf16_end_ahead(end, kind,
                       (pending->position + BF16_AHEAD) * job->n +
                           (pending->channel + at[0]) * BF16_PANEL);
    else
        bf16_end_ahead(end, kind, (at[1] + BF16_AHEAD) * job->n + pending->channel);
}

/* What the products of a block prefetch, in equal parts. In order: the pixels of the block after
 * the next, spread over the products of all panels. Where a panel goes over all blocks: the next
 * panel, spread over the products of all blocks. */
VEC_INLINE struct ahead ahead_of(const struct job *job, const struct pending *now)
{
    long lines = job->lines_each, panel = job->taps * job->depth;
    long each = panel / BF16_PANEL * lines; /* of a block */
    long from = now->position / BLOCK * each;

    if (job->in_order)
        return (struct ahead){job->base + (now->position + 2 * BLOCK) * job->step +
                                  now->channel / BF16_PANEL * each * LINE,
                              lines};
    return (struct ahead){(const char *)(job->panels + (now->channel + BF16_PANEL) * panel) +
                              from * LINE,
                          from < panel ? lines : 0};
}

VEC_INLINE void ask(struct ahead *ahead)
{
    for (long i = 0; i < ahead->lines; i++, ahead->from += LINE)
        __builtin_prefetch(ahead->from, 0, 2);
}

VEC_INLINE void end_rows(const struct job *job, const struct pending *pending,
                         const enum conv_end_kind kind, long first, long last,
                         struct bf16_end *end)
{
    if (last > job->positions - pending->position)
        last = job->positions - pending->position;
    for (long row = first; row < last; row++) {
        long position = pending->position + row, result = position;
        vec value[2];

        if (job->map)
            result = job->map[position];
        if (result < 0)
            continue;
        value[0] = VEC_LOAD(pending->sums + row * BLOCK);
        value[1] = VEC_LOAD(pending->sums + row * BLOCK + VEC_LANES);
        ask_for_end(job, pending, kind, (const long[2]){row, result}, end);
        bf16_end_row(end, kind, result * job->n + pending->channel, value);
    }
}

VEC_INLINE void multiply_tiles(const char *left, long step, const uint16_t *right)
{
    tile_load(4, left, step);
    tile_load(6, right, TILE_BYTES);
    tile_multiply(0, 4, 6);
    tile_load(7, right + BF16_BLOCK / 2, TILE_BYTES);
    tile_multiply(1, 4, 7);
    tile_load(5, left + 16 * step, step);
    tile_multiply(2, 5, 6);
    tile_multiply(3, 5, 7);
}

static inline void store_sums(float *sums)
{
    tile_store(0, sums, 2 * TILE_BYTES);
    tile_store(1, sums + 16, 2 * TILE_BYTES);
    tile_store(2, sums + 512, 2 * TILE_BYTES);
    tile_store(3, sums + 528, 2 * TILE_BYTES);
}

VEC_INLINE struct bf16_end end_of(const struct job *job, const struct pending *pending)
{
    return (struct bf16_end){
        .end = job->end, .n = job->n, .channel = pending->channel, .past_cache = job->past_cache};
}

/* Multiplies the block at `now`, and ends the one before it; without one, before->sums is NULL.
 */
VEC_INLINE void run_block(const struct job *job, const enum conv_end_kind kind,
                          const struct pending *before, const struct pending *now, float *sums)
{
    const uint16_t *right = job->panels + now->channel * job->taps * job->depth;
    long steps = job->taps * job->depth / BF16_PANEL;
    long each = steps > 0 ? (BLOCK + steps - 1) / steps : BLOCK,
         row = before->sums ? before->first : BLOCK;
    struct bf16_end end = end_of(job, before);
    struct ahead ahead = ahead_of(job, now);

    bf16_end_begin(&end, kind);
    atomic_signal_fence(memory_order_seq_cst);
    tile_zero(0);
    tile_zero(1);
    tile_zero(2);
    tile_zero(3);
    for (int t = 0; t < job->taps; t++) {
        const char *left = job->base + job->offsets[t] + now->position * job->step;

        for (long k = 0; k < job->depth; k += BF16_PANEL, right += BF16_BLOCK) {
            long until = row + each < BLOCK ? row + each : BLOCK;

            multiply_tiles(left + k * 2, job->step, right);
            ask(&ahead);
            end_rows(job, before, kind, row, until, &end);
            row = until;
        }
    }
    end_rows(job, before, kind, row, BLOCK, &end);
    store_sums(sums);
    atomic_signal_fence(memory_order_seq_cst);
    if (before->sums)
        bf16_end_finish(&end, kind);
}

/* Without a map nothing is read behind the last position: the last block begins earlier. */
static struct pending block_at(const struct job *job, long position, long channel,
                               const float *sums)
{
    struct pending block = {sums, position, channel, 0};

    if (!job->map && position + BLOCK > job->positions && job->positions >= BLOCK) {
        block.first = position + BLOCK - job->positions;
        block.position -= block.first;
    }
    return block;
}

/* Panels of few weights stay in cache while all of them go over one block; with many weights each
 * panel goes over all blocks. */
static bool is_near(const struct job *job)
{
    return job->taps * job->depth * job->n * 2 <= WEIGHTS_NEAR;
}

/* A panel is as many lines as BF16_PANEL for each of its products. */
static void look_ahead(struct job *job)
{
    long blocks = job->positions / BLOCK + 1;

    if (job->in_order)
        job->lines_each = BF16_BLOCK / job->n;
    else
        job->lines_each = is_near(job) ? 0 : (BF16_PANEL + blocks - 1) / blocks;
}

VEC_INLINE void run_blocks(const struct job *shared, const enum conv_end_kind kind)
{
    /* Of its own, so that what is stored cannot change it. */
    const struct conv_end own_end = *shared->end;
    struct job own = *shared;
    const struct job *job = &own;
    float sums[2][BLOCK * BLOCK] __attribute__((aligned(64)));
    struct pending before = {0};
    struct bf16_end end;
    long span = is_near(job) ? BLOCK : job->positions;
    int turn = 0;

    own.end = &own_end;
    for (long begin = 0; begin < job->positions; begin += span)
        for (long channel = 0; channel < job->n; channel += BF16_PANEL)
            for (long at = begin; at < begin + span && at < job->positions; at += BLOCK) {
                struct pending now = block_at(job, at, channel, sums[turn]);

                run_block(job, kind, &before, &now, sums[turn]);
                before = now;
                turn = 1 - turn;
            }
    end = end_of(job, &before);
    bf16_end_begin(&end, kind);
    end_rows(job, &before, kind, before.first, before.sums ? BLOCK : 0, &end);
    bf16_end_finish(&end, kind);
}

CONV_END_RUNS(run_blocks, (const struct job *job), job);

static bool is_flat(const struct conv_shape *shape)
{
    return shape->kernel == 1 && shape->stride == 1;
}

static size_t map_bytes(const struct conv_grid *grid)
{
    return ((size_t)grid->positions * sizeof(int32_t) + 63) & ~(size_t)63;
}

static size_t scratch_size(const struct conv_shape *shape, long images)
{
    size_t pixel = (size_t)conv_k(shape) * sizeof(uint16_t);
    struct conv_class classes[CONV_CLASSES_MAX];
    struct conv_grid grid;

    if (is_flat(shape))
        return BLOCK * pixel;
    conv_classes(shape, classes);
    grid = conv_grid_of(shape, &classes[0], images);
    return map_bytes(&grid) + conv_grid_bytes(&grid, pixel);
}

/* Pixels are read in place, except for less than a block of them: that reads a copy. */
static void run_flat(const struct conv_shape *shape, const struct conv_call *call,
                     struct job *job)
{
    long pixels = call->images * shape->in_size * shape->in_size, bytes = pixels * job->step;

    job->taps = 1;
    job->base = call->input;
    job->positions = pixels;
    job->in_order = is_near(job);
    look_ahead(job);
    if (pixels < BLOCK) {
        memcpy(call->scratch, call->input, (size_t)bytes);
        memset((char *)call->scratch + bytes, 0, (size_t)(BLOCK * job->step - bytes));
        job->base = call->scratch;
    }
    runs[job->end->kind](job);
}

static void run_grid(const struct conv_shape *shape, const struct conv_call *call,
                     struct job *job)
{
    struct conv_class classes[CONV_CLASSES_MAX];
    int count = conv_classes(shape, classes);
    struct conv_grid grid = conv_grid_of(shape, &classes[0], call->images);
    long pixel = job->step;
    char *memory = (char *)call->scratch + map_bytes(&grid);

    conv_grid_fill(&grid, call->input, (size_t)pixel, memory);
    job->base = memory;
    job->step = grid.scale * pixel;
    job->map = call->scratch;
    for (int i = 0; i < count; i++) {
        job->positions = conv_grid_positions(&grid, &classes[i], call->images);
        conv_grid_map(&grid, &classes[i], call->scratch);
        job->taps = classes[i].taps;
        for (int t = 0; t < job->taps; t++)
            job->offsets[t] = conv_grid_offset(&grid, &classes[i].tap[t]) * pixel;
        look_ahead(job);
        runs[job->end->kind](job);
        job->panels += job->depth * job->n * job->taps;
    }
}

static void conv_amx_run(const struct conv_shape *shape, const struct conv_call *call)
{
    struct job job = {
        .end = &call->end,
        .step = conv_k(shape) * (long)sizeof(uint16_t),
        .depth = conv_bf16_depth(shape),
        .n = conv_n(shape),
        .panels = call->panels,
        .past_cache = call->past_cache && (uintptr_t)call->end.result % LINE == 0,
    };

    tiles_use();
    if (is_flat(shape))
        run_flat(shape, call, &job);
    else
        run_grid(shape, call, &job);
    tile_release();
    if (job.past_cache)
        bf16_stores_fence();
}

CONV_DESCRIBE(conv_kernel, .type = DNN_BF16, .n_multiple = BF16_PANEL, .k_multiple = BF16_PANEL,
              .panels_size = conv_bf16_panels_size, .pack = conv_bf16_pack,
              .scratch_size = scratch_size, .run = conv_amx_run);
