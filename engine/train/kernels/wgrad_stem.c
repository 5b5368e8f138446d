#include "engine/train/kernels/wgrad_stem.h"

#include "common/order.h"

#include <string.h>

bool wgrad_is_stem(const struct wgrad_shape *shape)
{
    return shape->kernel == STEM_KERNEL;
}

#ifdef __x86_64__
#include <immintrin.h>

#define STRIP 16  /* rows of output pairs that are packed at a time, at most */
#define BELOW 3   /* rows of a plane that the last row of the output sees below its own */
#define WINDOW 32 /* numbers */
#define LEAD 16   /* pairs before the first pixel of a plane: the padding, and alignment */
#define USED (STEM_KERNEL * STEM_CHANNELS)
#define SUMS ((long)STEM_KERNEL * PANEL * WINDOW) /* of 32 output channels */

_Static_assert(LEAD >= 3 * STEM_CHANNELS && WINDOW >= USED, "the first window");

struct job {
    const struct wgrad_shape *shape;
    const struct wgrad_memory *memory;
    const struct wgrad_stem_kind *kind;
    struct wgrad_pairing pairing;
    long strip, pitch; /* rows of output pairs; positions in each, with the padding */
    long depth;        /* of the longest strip */
    float *sums;       /* [panel of output channels][row of the kernel][channel][window] */
    uint32_t *planes[2], *rows, *panel;
};

struct strip {
    long group, begin, end; /* rows of output pairs */
    long depth;
};

static long depth_of(const struct job *job, long rows)
{
    return (rows * job->pitch + STEM_DEPTH - 1) / STEM_DEPTH;
}

/* Pairs that a strip's windows see in a plane. */
static long plane_pairs(const struct job *job, long depth)
{
    return LEAD + (BELOW * job->pitch + depth * STEM_DEPTH) * STEM_STEP + WINDOW;
}

/* Lays the job out in memory that may be NULL; returns the bytes. */
static size_t wgrad_stem_plan(struct job *job, const struct wgrad_shape *shape, void *scratch)
{
    size_t sums = (size_t)(shape->out_channels / PANEL * SUMS), plane, panel;

    job->shape = shape;
    job->pairing = wgrad_pairing(shape);
    job->strip = least_of(job->pairing.rows, STRIP);
    /* Three pixels before a row and two behind it, which with the former are two positions. */
    job->pitch = shape->out_size + 2;
    job->depth = depth_of(job, job->strip);
    plane = ((size_t)plane_pairs(job, job->depth) + 15) & ~(size_t)15;
    panel = (size_t)(job->depth * STEM_DEPTH * PANEL);
    if (scratch) {
        job->sums = scratch;
        job->planes[0] = (uint32_t *)scratch + sums;
        job->planes[1] = job->planes[0] + plane;
        job->rows = job->planes[1] + plane;
        job->panel = job->rows + panel;
    }
    return (sums + 2 * plane + 2 * panel) * sizeof(uint32_t);
}

size_t wgrad_stem_scratch(const struct wgrad_shape *shape)
{
    struct job job;

    return wgrad_stem_plan(&job, shape, NULL);
}

/* Pairs of the rows' numbers. */
static __attribute__((target("avx512f,avx512bw,avx512vl"))) void
pair_numbers(const struct wgrad_pairs *pairs, uint32_t *ret_pairs)
{
    const uint16_t *lows = pairs->first, *highs = pairs->second;
    long count = pairs->count * pairs->step;

    for (long i = 0; i < count; i += 16) {
        unsigned left = count - i < 16 ? (1u << (count - i)) - 1 : 0xffff;
        __mmask16 some = (__mmask16)left;
        __mmask16 first = lows ? some : 0, second = highs ? some : 0;
        __m512i low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(first, lows + i));
        __m512i high = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(second, highs + i));

        _mm512_mask_storeu_epi32(ret_pairs + i, some,
                                 _mm512_or_si512(low, _mm512_slli_epi32(high, 16)));
    }
}

static void wgrad_stem_clear(uint32_t *begin, const uint32_t *end)
{
    memset(begin, 0, (size_t)(end - begin) * sizeof *begin);
}

/* What the strip's windows see. Plane 0 has rows 2 * begin - 3, -1, +1 ... of the image, plane 1
 * those between them. */
static void pack_inputs(const struct job *job, const struct strip *strip)
{
    long pitch = job->pitch * STEM_STEP, numbers = job->shape->in_size * STEM_CHANNELS;

    for (long p = 0; p < 2; p++) {
        uint32_t *at = job->planes[p] + LEAD;
        const uint32_t *end = job->planes[p] + plane_pairs(job, strip->depth);

        wgrad_stem_clear(job->planes[p], at);
        for (long row = strip->begin; row < strip->end + BELOW; row++, at += pitch) {
            struct wgrad_pairs pairs =
                wgrad_input_row(job->shape, job->memory->input, strip->group, 2 * row + p - 3);

            pair_numbers(&pairs, at);
            wgrad_stem_clear(at + numbers, at + pitch);
        }
        wgrad_stem_clear(at, end);
    }
}

/* One panel of the output's rows, with the padding. */
static void pack_outputs(const struct job *job, const struct strip *strip, long channel)
{
    uint32_t *at = job->panel, *end = job->panel + strip->depth * STEM_DEPTH * PANEL;

    for (long row = strip->begin; row < strip->end; row++) {
        struct wgrad_pairs pairs =
            wgrad_output_row(job->shape, job->memory->gradient, strip->group, row);
        uint32_t *next = at + job->pitch * PANEL;

        wgrad_pack(&pairs, channel, at);
        wgrad_stem_clear(at + pairs.count * PANEL, next);
        at = next;
    }
    wgrad_stem_clear(at, end);
}

static void run_strip(const struct job *job, const struct strip *strip)
{
    struct wgrad_stem_product product = {.rows = job->rows, .depth = strip->depth};

    pack_inputs(job, strip);
    for (long channel = job->memory->out_begin; channel < job->memory->out_end;
         channel += PANEL) {
        pack_outputs(job, strip, channel);
        job->kind->arrange(job->panel, strip->depth, job->rows);
        for (long h = 0; h < STEM_KERNEL; h++) {
            product.columns =
                job->planes[h % 2] + LEAD - 3 * STEM_CHANNELS + h / 2 * job->pitch * STEM_STEP;
            product.sums = job->sums + channel / PANEL * SUMS + h * PANEL * WINDOW;
            job->kind->multiply(&product);
        }
    }
}

static void take_sums(const struct job *job)
{
    const struct wgrad_memory *memory = job->memory;

    for (long o = memory->out_begin; o < memory->out_end; o++)
        for (long h = 0; h < STEM_KERNEL; h++) {
            float *to = memory->weights + (o * STEM_KERNEL + h) * USED;
            const float *from = job->sums + o / PANEL * SUMS + (h * PANEL + o % PANEL) * WINDOW;

            for (long i = 0; i < USED; i++)
                to[i] = (memory->accumulate ? to[i] : 0) + from[i];
        }
}

void wgrad_stem_run(const struct wgrad_shape *shape, const struct wgrad_memory *memory,
                    const struct wgrad_stem_kind *kind)
{
    struct job job = {.memory = memory, .kind = kind};

    wgrad_stem_plan(&job, shape, memory->scratch);
    memset(job.sums, 0, (size_t)(shape->out_channels / PANEL * SUMS) * sizeof *job.sums);
    for (long group = 0; group < job.pairing.groups; group++)
        for (long begin = 0; begin < job.pairing.rows; begin += job.strip) {
            struct strip strip = {group, begin, least_of(begin + job.strip, job.pairing.rows), 0};

            strip.depth = depth_of(&job, strip.end - strip.begin);
            run_strip(&job, &strip);
        }
    take_sums(&job);
}
#endif
