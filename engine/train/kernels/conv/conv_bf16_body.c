/* One bf16 kernel of conv.h by products of pairs. CMake compiles this file for AVX-512 BF16,
 * which has an instruction for them, and for baseline and AVX2, where shifts and f32 products do
 * the same: CONV_NAME, CONV_ISA, and CONV_ROWS positions whose sums fit into the registers.
 * Tested by tests/engine/train/kernels/conv/conv_test.c. */
#define VEC_BYTES 64
#include "engine/train/kernels/conv/conv_bf16.h"
#include "engine/train/kernels/conv/conv_body.h"
#include "engine/train/kernels/conv/conv_groups.h"

#define CACHE_LINE 64
#define STEM_PAIRS 11 /* of the first layer, whose taps have 21 numbers */

_Static_assert(CONV_GROUP % CONV_ROWS == 0, "a group is whole blocks");

static size_t scratch_size(const struct conv_shape *shape, long images)
{
    (void)images;
    return conv_groups_scratch(shape, sizeof(uint16_t));
}

/* sums += the products of a pair of the left with each pair of the right. */
VEC_INLINE void add_pairs(const char *left, const bf16_pairs *right, vec *sums)
{
    uint32_t pair;

    memcpy(&pair, left, sizeof pair);
#ifdef __AVX512BF16__
    *sums = (vec)_mm512_dpbf16_ps((__m512)*sums, (__m512bh)_mm512_set1_epi32((int)pair),
                                  (__m512bh)*right);
#else
    bf16_pairs pairs = pair - (bf16_pairs){0};

    *sums = VEC_FMA(BF16_EVEN(pairs), BF16_EVEN(*right), *sums);
    *sums = VEC_FMA(BF16_ODD(pairs), BF16_ODD(*right), *sums);
#endif
}

VEC_INLINE void multiply(const struct conv_job *job, const struct conv_group *group, long first,
                         const uint16_t *panel, const long pairs, vec ret_sums[CONV_ROWS][2])
{
    vec sums[CONV_ROWS][2] = {0};

    for (int t = 0; t < job->class->taps; t++) {
        const char *rows[CONV_ROWS];

        for (int r = 0; r < CONV_ROWS; r++)
            rows[r] = group->rows[t][first + r];
        for (long k = 0; k < job->depth; k += BF16_PANEL, panel += BF16_BLOCK)
            for (long p = 0; p < 2 * pairs; p += 2) {
                bf16_pairs even = BF16_LOAD(panel + p * VEC_LANES);
                bf16_pairs odd = BF16_LOAD(panel + BF16_BLOCK / 2 + p * VEC_LANES);

                for (int r = 0; r < CONV_ROWS; r++) {
                    add_pairs(rows[r] + (k + p) * 2, &even, &sums[r][0]);
                    add_pairs(rows[r] + (k + p) * 2, &odd, &sums[r][1]);
                }
            }
    }
    for (int r = 0; r < CONV_ROWS; r++)
        for (int i = 0; i < 2; i++)
            ret_sums[r][i] = sums[r][i];
}

/* Asks for what the block at `first` is an image of, a panel later. */
VEC_INLINE void look_ahead(const struct conv_job *job, const struct conv_group *group, long first,
                           const struct conv_ahead *ahead, const struct bf16_end *end,
                           const enum conv_end_kind kind)
{
    const char *const *rows = group->rows[job->class->taps / 2] + first;

    for (int r = 0; r < CONV_ROWS; r++) {
        long at = (group->result[first + r] + ahead->result) * job->n + ahead->lane;

        for (long byte = 0; byte < ahead->input_bytes; byte += CACHE_LINE)
            __builtin_prefetch(rows[r] + ahead->input + byte);
        __builtin_prefetch((uint16_t *)job->end->result + at, 1, 2);
        bf16_end_ahead(end, kind, at);
    }
}

/* One panel of all positions of a group. */
VEC_INLINE void run_panel(const struct conv_job *job, const struct conv_group *group,
                          long channel, const enum conv_end_kind kind)
{
    const uint16_t *panel =
        (const uint16_t *)job->panels + channel * job->class->taps * job->depth;
    struct bf16_end end = {
        .end = job->end, .n = job->n, .channel = channel, .past_cache = job->past_cache};
    const struct conv_ahead ahead =
        conv_ahead_of(&job->source, group, (const long[2]){channel, BF16_PANEL}, job->n);

    bf16_end_begin(&end, kind);
    for (long first = 0; first < group->count; first += CONV_ROWS) {
        long count = group->count - first < CONV_ROWS ? group->count - first : CONV_ROWS;
        vec sums[CONV_ROWS][2];

        if (kind >= CONV_INNER && count == CONV_ROWS && job->class->taps > 0)
            look_ahead(job, group, first, &ahead, &end, kind);
        if (job->stem)
            multiply(job, group, first, panel, STEM_PAIRS, sums);
        else
            multiply(job, group, first, panel, BF16_PANEL / 2, sums);
        for (long r = 0; r < count; r++)
            bf16_end_row(&end, kind, group->result[first + r] * job->n + channel, sums[r]);
    }
    bf16_end_finish(&end, kind);
}

VEC_INLINE void run_panels(const struct conv_job *job, const struct conv_group *group,
                           const enum conv_end_kind kind)
{
    for (long channel = 0; channel < job->n; channel += BF16_PANEL)
        run_panel(job, group, channel, kind);
}

CONV_END_RUNS(run_panels, (const struct conv_job *job, const struct conv_group *group), job,
              group);

static void conv_bf16_run(const struct conv_shape *shape, const struct conv_call *call)
{
    struct conv_job job = conv_job_of(shape, call, sizeof(uint16_t));

    job.depth = conv_bf16_depth(shape);
    job.past_cache = call->past_cache && (uintptr_t)call->end.result % CACHE_LINE == 0;
    conv_groups_run(shape, call, &job, runs);
    if (job.past_cache)
        bf16_stores_fence();
}

CONV_DESCRIBE(conv_kernel, .type = DNN_BF16, .n_multiple = BF16_PANEL, .k_multiple = BF16_PANEL,
              .panels_size = conv_bf16_panels_size, .pack = conv_bf16_pack,
              .scratch_size = scratch_size, .run = conv_bf16_run);
