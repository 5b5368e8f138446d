/* One bf16 kernel of conv.h by products of pairs. CMake compiles this file for AVX-512 BF16,
 * which has an instruction for them, and for baseline and AVX2, where shifts and f32 products do
 * the same: CONV_NAME, CONV_ISA, and CONV_ROWS positions whose sums fit into the registers.
 * Tested by tests/engine/train/kernels/conv/conv_test.c. */
#define CONV_VEC_BYTES 64
#include "engine/train/kernels/conv/conv_bf16.h"

#define K_MAX 4096
#define CACHE_LINE 64
#define STEM_PAIRS 11 /* of the first layer, whose taps have 21 numbers */

_Static_assert(CONV_GROUP % CONV_ROWS == 0, "a group is whole blocks");

struct job {
    const struct conv_class *class;
    const struct conv_end *end;
    struct conv_source source;
    struct conv_cursor cursor; /* the first position */
    long images;               /* behind the last one */
    long depth, n;
    long pairs; /* of a block that are multiplied: the rest of the first layer's are zeros */
    const uint16_t *panels;
    bool past_cache;
};

static size_t scratch_size(const struct conv_shape *shape, long images)
{
    (void)images;
    return conv_is_stem(shape) ? conv_stem_bytes(shape, sizeof(uint16_t)) : 0;
}

/* sums += the products of a pair of the left with each pair of the right. */
CONV_INLINE void add_pairs(const char *left, const bf16_pairs *right, vec *sums)
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

CONV_INLINE void multiply(const struct job *job, const struct conv_group *group, long first,
                          const uint16_t *panel, const long pairs, vec ret_sums[CONV_ROWS][2])
{
    vec sums[CONV_ROWS][2] = {0};

    for (int t = 0; t < job->class->taps; t++) {
        const char *rows[CONV_ROWS];

        for (int r = 0; r < CONV_ROWS; r++)
            rows[r] = group->rows[t][first + r];
        for (long k = 0; k < job->depth; k += BF16_PANEL, panel += BF16_BLOCK)
            for (long p = 0; p < 2 * pairs; p += 2) {
                bf16_pairs even = BF16_LOAD(panel + p * CONV_LANES);
                bf16_pairs odd = BF16_LOAD(panel + BF16_BLOCK / 2 + p * CONV_LANES);

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
CONV_INLINE void look_ahead(const struct job *job, const struct conv_group *group, long first,
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
CONV_INLINE void run_panel(const struct job *job, const struct conv_group *group, long channel,
                           const enum conv_end_kind kind)
{
    const uint16_t *panel = job->panels + channel * job->class->taps * job->depth;
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
        if (job->pairs == BF16_PANEL / 2)
            multiply(job, group, first, panel, BF16_PANEL / 2, sums);
        else
            multiply(job, group, first, panel, STEM_PAIRS, sums);
        for (long r = 0; r < count; r++)
            bf16_end_row(&end, kind, group->result[first + r] * job->n + channel, sums[r]);
    }
    bf16_end_finish(&end, kind);
}

#define PANEL_RUN(name, kind)                                                                    \
    static void name(const struct job *job, const struct conv_group *group)                      \
    {                                                                                            \
        for (long channel = 0; channel < job->n; channel += BF16_PANEL)                          \
            run_panel(job, group, channel, kind);                                                \
    }
PANEL_RUN(run_plain, CONV_PLAIN)
PANEL_RUN(run_sums, CONV_SUMS)
PANEL_RUN(run_inner, CONV_INNER)
PANEL_RUN(run_kept, CONV_KEPT)
PANEL_RUN(run_other, CONV_OTHER)

static void (*const runs[CONV_END_KINDS])(const struct job *job,
                                          const struct conv_group *group) = {
    [CONV_PLAIN] = run_plain, [CONV_SUMS] = run_sums,   [CONV_INNER] = run_inner,
    [CONV_KEPT] = run_kept,   [CONV_OTHER] = run_other,
};

static void run_groups(const struct job *job)
{
    struct conv_cursor cursor = job->cursor;
    struct conv_group group;

    for (;;) {
        conv_group_fill(job->class, &job->source, job->images, CONV_GROUP, &cursor, &group);
        if (group.count == 0)
            return;
        runs[job->end->kind](job, &group);
    }
}

static void run_stem(const struct conv_shape *shape, const struct conv_call *call,
                     struct job *job)
{
    long image_bytes = shape->in_size * shape->in_size * job->source.pixel_bytes;

    job->source.base = call->scratch;
    job->source.image_bytes = 0;
    for (long i = 0; i < call->images; i++) {
        conv_stem_fill(shape, (const char *)call->input + i * image_bytes, sizeof(uint16_t),
                       call->scratch);
        job->cursor = (struct conv_cursor){.image = i};
        job->images = i + 1;
        run_groups(job);
    }
}

static void run(const struct conv_shape *shape, const struct conv_call *call)
{
    static const uint16_t zeros[K_MAX];
    struct conv_class classes[CONV_CLASSES_MAX];
    int count = conv_classes(shape, classes);
    long pixel = conv_k(shape) * (long)sizeof(uint16_t);
    struct job job = {
        .end = &call->end,
        .source = {call->input, (const char *)zeros, pixel, 0},
        .images = call->images,
        .depth = conv_bf16_depth(shape),
        .pairs = conv_is_stem(shape) ? STEM_PAIRS : BF16_PANEL / 2,
        .n = conv_n(shape),
        .panels = call->panels,
        .past_cache = call->past_cache && (uintptr_t)call->end.result % 64 == 0,
    };

    for (int i = 0; i < count; i++) {
        job.class = &classes[i];
        job.source.image_bytes = classes[i].source_size * classes[i].source_size * pixel;
        if (conv_is_stem(shape))
            run_stem(shape, call, &job);
        else
            run_groups(&job);
        job.panels += job.depth * job.n * classes[i].taps;
    }
    if (job.past_cache)
        bf16_stores_fence();
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

extern const struct conv_kernel CONV_NAME;
const struct conv_kernel CONV_NAME = {
    .name = TEXT(CONV_NAME),
    .isa = CONV_ISA,
    .type = DNN_BF16,
    .n_multiple = BF16_PANEL,
    .k_multiple = BF16_PANEL,
    .panels_size = conv_bf16_panels_size,
    .pack = conv_bf16_pack,
    .scratch_size = scratch_size,
    .run = run,
};
