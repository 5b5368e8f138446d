/* Causal attention of one set, attention.h. It computes in f32 on copies of one head's rows,
 * which are filled up to whole tiles with zeros. Tested by
 * tests/engine/train/kernels/text/attention_test.c. */
#include "engine/train/kernels/text/attention.h"
#include "engine/train/kernels/text/product_tile.h"
#include "engine/train/kernels/text/text_transpose.h"

#include <math.h>

enum part { QUERY, KEY, VALUE };

/* One head of one sample in the scratch memory. */
struct head {
    const struct attention *attention;
    long sample, number;
    long rows, columns; /* filled up */
    float scale;
    float *query, *key, *value;     /* (rows, columns); the query is scaled */
    float *keys, *values;           /* (columns, rows): the transpose */
    float *gradient;                /* (rows, columns): of the result */
    float *key_slope, *value_slope; /* (rows, columns) */
    float *share, *slope;           /* (TILE_ROWS, rows): of each score, and its gradient */
    float *sums;                    /* (TILE_ROWS, columns) */
};

static long filled_up(long count, long multiple)
{
    return (count + multiple - 1) / multiple * multiple;
}

/* Behind the last row a whole tile has room. */
static long rows_of(const struct attention *attention)
{
    return filled_up(attention->length + TILE_ROWS, TILE_COLUMNS);
}

static size_t scratch_bytes(const struct attention *attention)
{
    long rows = rows_of(attention), columns = filled_up(attention->width, TILE_COLUMNS);

    return (size_t)(8 * rows * columns + 2 * TILE_ROWS * rows + TILE_ROWS * columns) *
           sizeof(float);
}

static struct head head_at(const struct attention *attention, long unit)
{
    long rows = rows_of(attention), columns = filled_up(attention->width, TILE_COLUMNS);
    long size = rows * columns;
    float *memory = attention->scratch;

    return (struct head){
        .attention = attention,
        .sample = unit / attention->heads,
        .number = unit % attention->heads,
        .rows = rows,
        .columns = columns,
        .scale = (float)(1 / sqrt((double)attention->width)),
        .query = memory,
        .key = memory + size,
        .value = memory + 2 * size,
        .keys = memory + 3 * size,
        .values = memory + 4 * size,
        .gradient = memory + 5 * size,
        .key_slope = memory + 6 * size,
        .value_slope = memory + 7 * size,
        .share = memory + 8 * size,
        .slope = memory + 8 * size + TILE_ROWS * rows,
        .sums = memory + 8 * size + 2 * TILE_ROWS * rows,
    };
}

/* Of a tensor with `parts` parts to a position: where the head's part is, and from row to row. */
static long offset_of(const struct head *head, long parts, long part)
{
    const struct attention *attention = head->attention;
    long line = attention->heads * attention->width;

    return (head->sample * attention->length * parts + part) * line +
           head->number * attention->width;
}

static long stride_of(const struct head *head, long parts)
{
    return parts * head->attention->heads * head->attention->width;
}

static void take(const struct head *head, const stored *from, long stride, float scale,
                 float *ret_rows)
{
    long length = head->attention->length, width = head->attention->width;

    for (long t = 0; t < length; t++)
        for (long c = 0; c < head->columns; c += LANES) {
            vec value = {0};

            if (c < width)
                stored_load(from + t * stride + c, width - c, &value);
            value *= VEC_ALL(scale);
            VEC_STORE(ret_rows + t * head->columns + c, value);
        }
    memset(ret_rows + length * head->columns, 0,
           (size_t)((head->rows - length) * head->columns) * sizeof *ret_rows);
}

static void turn(const struct head *head, const float *rows, float *ret_columns)
{
    for (long t = 0; t < head->rows; t += LANES)
        for (long c = 0; c < head->columns; c += LANES) {
            vec lines[LANES];

            for (int i = 0; i < LANES; i++)
                lines[i] = VEC_LOAD(rows + (t + i) * head->columns + c);
            transpose(lines);
            for (int i = 0; i < LANES; i++)
                VEC_STORE(ret_columns + (c + i) * head->rows + t, lines[i]);
        }
}

static void take_inputs(const struct head *head)
{
    const stored *inputs = head->attention->inputs;
    float *const rows[] = {head->query, head->key, head->value};

    for (int part = QUERY; part <= VALUE; part++)
        take(head, inputs + offset_of(head, 3, part), stride_of(head, 3),
             part == QUERY ? head->scale : 1, rows[part]);
    turn(head, head->key, head->keys);
}

/* to = left x right, or is added to, for TILE_ROWS rows and `columns` columns. */
struct small_product {
    struct tile_left left;
    const float *right;
    long right_stride, steps, columns;
    float *to;
    long to_stride;
    bool add;
};

static void multiply(const struct small_product *work)
{
    for (long c = 0; c < work->columns; c += TILE_COLUMNS) {
        tile sums;

        for (int r = 0; r < TILE_ROWS; r++)
            for (int v = 0; v < TILE_WIDE; v++)
                sums[r][v] = work->add ? VEC_LOAD(work->to + r * work->to_stride + c + v * LANES)
                                       : (vec){0};
        tile_multiply(&work->left, (struct tile_right){work->right + c, work->right_stride},
                      work->steps, TILE_ROWS, false, sums);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int v = 0; v < TILE_WIDE; v++)
                VEC_STORE(work->to + r * work->to_stride + c + v * LANES, sums[r][v]);
    }
}

/* Rows of (rows, columns) against all positions that they see: `seen` of them. */
static void against_all(const struct head *head, const float *rows, const float *columns,
                        long seen, float *ret_scores)
{
    multiply(&(struct small_product){
        .left = {(const char *)rows, head->columns * 4, 4},
        .right = columns,
        .right_stride = head->rows,
        .steps = head->attention->width,
        .columns = seen,
        .to = ret_scores,
        .to_stride = head->rows,
    });
}

/* Scores of TILE_ROWS rows times (rows, columns). */
static void of_scores(const struct head *head, const float *scores, const float *rows, long seen,
                      float *ret_rows)
{
    multiply(&(struct small_product){
        .left = {(const char *)scores, head->rows * 4, 4},
        .right = rows,
        .right_stride = head->columns,
        .steps = seen,
        .columns = head->columns,
        .to = ret_rows,
        .to_stride = head->columns,
    });
}

/* What position t sees: e^(score - shift), and 0 behind itself, up to a whole tile and vector.
 * Returns the sum. */
static float exponentials(const struct head *head, long t, float shift, float *scores)
{
    vec total = {0}, place;

    for (int i = 0; i < LANES; i++)
        place[i] = (float)i;
    for (long c = 0; c < head->rows && c < t + 1 + TILE_ROWS; c += LANES) {
        vec value = vec_exp(VEC_LOAD(scores + c) - VEC_ALL(shift));

        value = VEC_WHERE(place <= VEC_ALL((float)(t - c)), value);
        VEC_STORE(scores + c, value);
        total += value;
    }
    return vec_sum(&total);
}

static float largest_score(const float *scores, long t)
{
    vec largest = VEC_ALL(scores[0]), place;

    for (int i = 0; i < LANES; i++)
        place[i] = (float)i;
    for (long c = 0; c <= t; c += LANES) {
        vec value = VEC_LOAD(scores + c);

        value = VEC_CHOOSE(place <= VEC_ALL((float)(t - c)), value, largest);
        largest = VEC_CHOOSE(value > largest, value, largest);
    }
    return vec_largest(&largest);
}

static void forward_rows(const struct head *head, long first)
{
    const struct attention *attention = head->attention;
    long seen = first + TILE_ROWS, left = attention->length - first;
    long count = left < TILE_ROWS ? left : TILE_ROWS;
    float inverse[TILE_ROWS];

    against_all(head, head->query + first * head->columns, head->keys, seen, head->share);
    for (long r = 0; r < count; r++) {
        float *scores = head->share + r * head->rows;
        float largest = largest_score(scores, first + r);
        float sum = exponentials(head, first + r, largest, scores);

        attention->log_sums[(head->sample * attention->heads + head->number) * attention->length +
                            first + r] = largest + (float)log((double)sum);
        inverse[r] = 1 / sum;
    }
    of_scores(head, head->share, head->value, first + count, head->sums);
    for (long r = 0; r < count; r++)
        for (long c = 0; c < attention->width; c += LANES) {
            vec value = VEC_LOAD(head->sums + r * head->columns + c) * VEC_ALL(inverse[r]);

            stored_store((stored *)attention->result + offset_of(head, 1, 0) +
                             (first + r) * stride_of(head, 1) + c,
                         attention->width - c, &value);
        }
}

static void forward(const struct attention *attention, long begin, long end)
{
    for (long unit = begin; unit < end; unit++) {
        struct head head = head_at(attention, unit);

        take_inputs(&head);
        for (long first = 0; first < attention->length; first += TILE_ROWS)
            forward_rows(&head, first);
    }
}

/* The product of a row of the result and its gradient: what all scores of the row have in common
 * in their gradients. */
static float common_slope(const struct head *head, long t)
{
    const struct attention *attention = head->attention;
    const stored *result =
        (const stored *)attention->result + offset_of(head, 1, 0) + t * stride_of(head, 1);
    vec sum = {0}, value;

    for (long c = 0; c < attention->width; c += LANES) {
        stored_load(result + c, attention->width - c, &value);
        sum = VEC_FMA(value, VEC_LOAD(head->gradient + t * head->columns + c), sum);
    }
    return vec_sum(&sum);
}

/* From the products in `share` and `slope` to the share of each score and its gradient. Rows
 * behind the last one get zeros. */
static void score_slopes(const struct head *head, long first, long count, long seen)
{
    const struct attention *attention = head->attention;
    const float *log_sums = attention->log_sums +
                            (head->sample * attention->heads + head->number) * attention->length +
                            first;

    for (long r = 0; r < TILE_ROWS; r++) {
        float *share = head->share + r * head->rows, *slope = head->slope + r * head->rows;
        vec common;

        if (r >= count) {
            memset(share, 0, (size_t)seen * sizeof *share);
            memset(slope, 0, (size_t)seen * sizeof *slope);
            continue;
        }
        memset(share + first + TILE_ROWS, 0, (size_t)(seen - first - TILE_ROWS) * sizeof *share);
        exponentials(head, first + r, log_sums[r], share);
        common = VEC_ALL(common_slope(head, first + r));
        for (long c = 0; c < seen; c += LANES)
            VEC_STORE(slope + c, VEC_LOAD(share + c) * (VEC_LOAD(slope + c) - common));
    }
}

/* Adds to the gradients of all positions that the rows see. */
static void add_slopes(const struct head *head, const float *scores, long first,
                       const float *rows, float *to)
{
    for (long t = 0; t < first + TILE_ROWS; t += TILE_ROWS)
        multiply(&(struct small_product){
            .left = {(const char *)(scores + t), 4, head->rows * 4},
            .right = rows + first * head->columns,
            .right_stride = head->columns,
            .steps = TILE_ROWS,
            .columns = head->columns,
            .to = to + t * head->columns,
            .to_stride = head->columns,
            .add = true,
        });
}

static void put(const struct head *head, const float *rows, float scale, stored *to, long count)
{
    for (long t = 0; t < count; t++)
        for (long c = 0; c < head->attention->width; c += LANES) {
            vec value = VEC_LOAD(rows + t * head->columns + c) * VEC_ALL(scale);

            stored_store(to + t * stride_of(head, 3) + c, head->attention->width - c, &value);
        }
}

static void backward_rows(const struct head *head, stored *inputs, long first)
{
    long left = head->attention->length - first, count = left < TILE_ROWS ? left : TILE_ROWS;
    long seen = filled_up(first + TILE_ROWS, TILE_COLUMNS);
    stored *to = inputs + offset_of(head, 3, QUERY) + first * stride_of(head, 3);

    against_all(head, head->query + first * head->columns, head->keys, seen, head->share);
    against_all(head, head->gradient + first * head->columns, head->values, seen, head->slope);
    score_slopes(head, first, count, seen);
    add_slopes(head, head->share, first, head->gradient, head->value_slope);
    add_slopes(head, head->slope, first, head->query, head->key_slope);
    of_scores(head, head->slope, head->key, first + count, head->sums);
    put(head, head->sums, head->scale, to, count);
}

static void backward(const struct attention *attention, const struct attention_back *back,
                     long begin, long end)
{
    stored *inputs = back->inputs;

    for (long unit = begin; unit < end; unit++) {
        struct head head = head_at(attention, unit);
        size_t bytes = (size_t)(head.rows * head.columns) * sizeof(float);

        take_inputs(&head);
        turn(&head, head.value, head.values);
        take(&head, (const stored *)back->result + offset_of(&head, 1, 0), stride_of(&head, 1), 1,
             head.gradient);
        memset(head.key_slope, 0, bytes);
        memset(head.value_slope, 0, bytes);
        for (long first = 0; first < attention->length; first += TILE_ROWS)
            backward_rows(&head, inputs, first);
        put(&head, head.key_slope, 1, inputs + offset_of(&head, 3, KEY), attention->length);
        put(&head, head.value_slope, 1, inputs + offset_of(&head, 3, VALUE), attention->length);
    }
}

extern const struct attention_kernel TEXT_NAME(attention);
const struct attention_kernel TEXT_NAME(attention) = {
    .scratch_bytes = scratch_bytes,
    .forward = forward,
    .backward = backward,
};
