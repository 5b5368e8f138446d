/* Tested by tests/engine/train/kernels/wgrad_test.c. */
#include "engine/train/kernels/wgrad_strip.h"

#include "common/order.h"

#include <string.h>

#define TAPS 3 /* a side of the largest kernel */

struct strip {
    long begin, end;                /* rows of output pairs, or pixels for kernel 1 */
    long row_pairs;                 /* in a panel of rows */
    struct wgrad_span *spans[TAPS]; /* for each row of the kernel */
    long span_counts[TAPS];
    bool accumulate;
};

struct job {
    const struct wgrad_shape *shape;
    const struct wgrad_memory *memory;
    const struct wgrad_strip_kind *kind;
    struct wgrad_sides sides;
    struct wgrad_pairing pairing;
    uint32_t *row_panels, *column_panel; /* words whose layout only the kind knows */
};

/* A strip's rows within one group, and the rows of input that they see. */
struct part {
    long group, begin, end, input_begin, input_end;
};

/* All taps of one panel of rows with one panel of columns. */
static void multiply_taps(const struct job *job, const struct strip *strip, long row, long column)
{
    const struct wgrad_shape *shape = job->shape;
    const struct wgrad_sides *sides = &job->sides;
    long kernel = shape->kernel, size = sides->row_channels * sides->column_channels;
    struct wgrad_strip_product product = {
        .rows = job->row_panels + (row - sides->row_begin) * strip->row_pairs,
        .columns = job->column_panel,
        .column_step = PANEL * shape->stride,
        .stride = sides->column_channels,
        .accumulate = strip->accumulate,
    };

    for (long h = 0; h < kernel; h++)
        for (long w = 0; w < kernel; w++) {
            struct wgrad_tap *tap = &product.tap;

            tap->spans = strip->spans[h];
            tap->span_count = strip->span_counts[h];
            if (kernel == 1) {
                tap->width = strip->row_pairs;
            } else {
                /* The columns from which this tap sees the image, not its padding. */
                tap->row_shift = w == 0;
                tap->column_shift = shape->stride * tap->row_shift + w - 1;
                tap->width = shape->in_size < w ? 0 : (shape->in_size - w) / shape->stride + 1;
                tap->width = least_of(tap->width, shape->out_size) - tap->row_shift;
            }
            product.sums = job->memory->weights + (h * kernel + w) * size +
                           row * sides->column_channels + column;
            job->kind->multiply(&product);
        }
}

static bool wgrad_strip_sees(const struct job *job, long group, long row)
{
    struct wgrad_pairs pairs = wgrad_input_row(job->shape, job->sides.columns, group, row);

    return pairs.first || pairs.second;
}

/* The part of a strip that begins with its row `begin`, counted through all groups. */
static struct part part_at(const struct job *job, const struct strip *strip, long begin)
{
    long rows = job->pairing.rows, group = begin / rows, stride = job->shape->stride;
    struct part part = {.group = group, .begin = begin - group * rows};

    part.end = least_of(rows, strip->end - group * rows);
    part.input_begin = stride * part.begin - 1;
    part.input_end = stride * (part.end - 1) + 2;
    while (part.input_begin < part.input_end && !wgrad_strip_sees(job, group, part.input_begin))
        part.input_begin++;
    while (part.input_begin < part.input_end && !wgrad_strip_sees(job, group, part.input_end - 1))
        part.input_end--;
    return part;
}

/* For each row of the kernel, which rows of input each row of output meets. Those in the padding
 * are left out. */
static void find_spans(const struct job *job, struct strip *strip)
{
    const struct wgrad_shape *shape = job->shape;
    long packed = 0, at = strip->begin;

    memset(strip->span_counts, 0, sizeof strip->span_counts);
    while (at < strip->end) {
        struct part part = part_at(job, strip, at);

        for (long row = part.begin; row < part.end; row++, at++)
            for (long h = 0; h < TAPS; h++) {
                long input = shape->stride * row + h - 1;

                if (input >= part.input_begin && input < part.input_end)
                    strip->spans[h][strip->span_counts[h]++] =
                        (struct wgrad_span){(at - strip->begin) * shape->out_size,
                                            (packed + input - part.input_begin) * shape->in_size};
            }
        packed += part.input_end - part.input_begin;
    }
}

static void pack_rows(const struct job *job, const struct strip *strip)
{
    const struct wgrad_shape *shape = job->shape;
    const struct wgrad_sides *sides = &job->sides;
    long rows = job->pairing.rows;
    uint32_t *panel = job->row_panels;

    for (long c = sides->row_begin; c < sides->row_end; c += PANEL) {
        if (shape->kernel == 1) {
            job->kind->pack_pixels(
                wgrad_number(shape, sides->rows, strip->begin * sides->row_channels),
                strip->end - strip->begin, sides->row_channels, c, panel);
            panel += strip->row_pairs * PANEL;
            continue;
        }
        for (long row = strip->begin; row < strip->end; row++) {
            struct wgrad_pairs pairs =
                wgrad_output_row(shape, sides->rows, row / rows, row % rows);

            job->kind->pack(&pairs, c, panel);
            panel += pairs.count * PANEL;
        }
    }
}

static void pack_columns(const struct job *job, const struct strip *strip, long channel)
{
    const struct wgrad_shape *shape = job->shape;
    const struct wgrad_sides *sides = &job->sides;
    uint32_t *panel = job->column_panel;

    if (shape->kernel == 1) {
        job->kind->pack_pixels(
            wgrad_number(shape, sides->columns, strip->begin * sides->column_channels),
            strip->end - strip->begin, sides->column_channels, channel, panel);
        return;
    }
    for (long at = strip->begin; at < strip->end;) {
        struct part part = part_at(job, strip, at);

        for (long row = part.input_begin; row < part.input_end; row++) {
            struct wgrad_pairs pairs = wgrad_input_row(shape, sides->columns, part.group, row);

            job->kind->pack(&pairs, channel, panel);
            panel += pairs.count * PANEL;
        }
        at += part.end - part.begin;
    }
}

static void run_strip(const struct job *job, struct strip *strip)
{
    const struct wgrad_sides *sides = &job->sides;

    if (job->shape->kernel == 1) {
        strip->row_pairs = strip->end - strip->begin;
        if (!job->pairing.single)
            strip->row_pairs = (strip->row_pairs + 1) / 2;
        strip->spans[0][0] = (struct wgrad_span){0, 0};
        strip->span_counts[0] = 1;
    } else {
        strip->row_pairs = (strip->end - strip->begin) * job->shape->out_size;
        find_spans(job, strip);
    }
    pack_rows(job, strip);
    for (long column = sides->column_begin; column < sides->column_end; column += PANEL) {
        pack_columns(job, strip, column);
        for (long row = sides->row_begin; row < sides->row_end; row += PANEL)
            multiply_taps(job, strip, row, column);
    }
}

/* How the work is cut, and what that takes of scratch. */
struct cut {
    long all, strip; /* rows of output pairs or, for kernel 1, pixels */
    long row_pairs, column_pairs, spans;
};

static struct cut wgrad_strip_cut(const struct wgrad_shape *shape,
                                  const struct wgrad_strip_kind *kind)
{
    struct wgrad_pairing by = wgrad_pairing(shape);
    long pixels = by.single ? 1 : 2; /* of a pair */
    struct cut cut = {.all = shape->pixels, .strip = pixels * kind->strip, .spans = 1};
    long strips, parts;

    if (shape->kernel != 1) {
        cut.all = by.groups * by.rows;
        cut.strip = most_of(kind->strip / shape->out_size, 1);
    }
    /* Equal ones instead of a short last one; an even number of pixels in all but the last. */
    strips = (cut.all + cut.strip - 1) / cut.strip;
    cut.strip = (cut.all + strips - 1) / strips;
    if (shape->kernel == 1) {
        cut.strip += cut.strip % pixels;
        cut.row_pairs = cut.column_pairs = cut.strip / pixels;
        return cut;
    }
    parts = (cut.strip - 1) / by.rows + 2;
    cut.spans = cut.strip;
    cut.row_pairs = cut.strip * shape->out_size;
    cut.column_pairs = (shape->stride * cut.strip + (3 - shape->stride) * parts) * shape->in_size;
    return cut;
}

size_t wgrad_strip_scratch(const struct wgrad_shape *shape, const struct wgrad_strip_kind *kind)
{
    struct wgrad_sides sides = wgrad_sides(shape, &(struct wgrad_memory){0});
    struct cut by = wgrad_strip_cut(shape, kind);
    size_t panels = (size_t)(by.row_pairs * sides.row_channels + by.column_pairs * PANEL);

    return panels * sizeof(uint32_t) + (size_t)(TAPS * by.spans) * sizeof(struct wgrad_span);
}

void wgrad_strip_run(const struct wgrad_shape *shape, const struct wgrad_memory *memory,
                     const struct wgrad_strip_kind *kind)
{
    struct cut by = wgrad_strip_cut(shape, kind);
    struct job job = {
        .shape = shape,
        .memory = memory,
        .kind = kind,
        .sides = wgrad_sides(shape, memory),
        .pairing = wgrad_pairing(shape),
        .row_panels = memory->scratch,
    };
    struct strip strip = {.accumulate = memory->accumulate};
    struct wgrad_span *spans;

    job.column_panel = job.row_panels + by.row_pairs * job.sides.row_channels;
    spans = (void *)(job.column_panel + by.column_pairs * PANEL);
    for (long h = 0; h < TAPS; h++)
        strip.spans[h] = spans + h * by.spans;
    for (long begin = 0; begin < by.all; begin += by.strip) {
        strip.begin = begin;
        strip.end = least_of(begin + by.strip, by.all);
        run_strip(&job, &strip);
        strip.accumulate = true;
    }
}
