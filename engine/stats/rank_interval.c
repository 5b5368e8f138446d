#include "engine/stats/rank_interval.h"

#include "common/cleanup.h"
#include "common/error.h"
#include "engine/stats/student.h"

#include <math.h>

#define LEVEL 0.05
#define WORTH_A_ROUND 0.01 /* of the pairs left: fewer do not make the next round easier */
#define TABLE_SIZE 128     /* of critical values, by 1 / degrees */
#define WORD_BITS 64

/* Squares of critical values of t, as a function of 1 / degrees from 0 to 1, each computed when
 * it is needed first. The function is convex: lines between its points lie above it, on the safe
 * side. */
struct critical {
    double tail;
    double least, most; /* of the degrees that any pair can have */
    double squares[TABLE_SIZE + 1];
};

static double square_of(struct critical *critical, size_t point)
{
    if (isnan(critical->squares[point])) {
        double degrees = point == 0 ? INFINITY : (double)TABLE_SIZE / (double)point;
        double t = critical->tail < 0.5 ? student_quantile(1 - critical->tail, degrees) : 0;

        critical->squares[point] = t * t;
    }
    return critical->squares[point];
}

static double square_at(struct critical *critical, double inverse_degrees)
{
    double at = fmin(inverse_degrees, 1) * TABLE_SIZE;
    size_t below = (size_t)at;
    double beyond = at - (double)below, square = square_of(critical, below);

    return beyond > 0 ? square + beyond * (square_of(critical, below + 1) - square) : square;
}

/* For pairs whose 1 / degrees lie between the two. */
static void begin_table(double tail, double inverse_least, double inverse_most,
                        struct critical *critical)
{
    critical->tail = tail;
    for (size_t i = 0; i <= TABLE_SIZE; i++)
        critical->squares[i] = NAN;
    critical->least = square_at(critical, inverse_least);
    critical->most = square_at(critical, inverse_most);
}

/* A row with what is needed of it in each pair. */
struct entry {
    double estimate, square, shared_square; /* of the errors */
    double inverse_degrees;
    size_t shares, place; /* place: among the rows as they were given */
};

static struct entry entry_of(const struct rank_row *row, size_t place)
{
    return (struct entry){.estimate = row->estimate,
                          .square = row->error * row->error,
                          .shared_square = row->shared_error * row->shared_error,
                          .inverse_degrees = 1 / row->degrees,
                          .shares = row->shares,
                          .place = place};
}

/* What two rows differ by without reason: squares of the errors that are each one's own. */
struct noise {
    double left, right;
};

static struct noise noise_between(const struct entry *left, const struct entry *right)
{
    struct noise noise = {left->square, right->square};

    if (left->shares > 0 && left->shares == right->shares) {
        noise.left = fmax(noise.left - left->shared_square, 0);
        noise.right = fmax(noise.right - right->shared_square, 0);
    }
    return noise;
}

/* 1 / the degrees of freedom of the difference: Welch's, but at most twice those of the row that
 * has fewer. Without that limit, a row of three machines that happen to be alike would borrow the
 * degrees of a row of ten. */
static double inverse_degrees_of(const struct entry *left, const struct entry *right,
                                 struct noise noise)
{
    double sum = noise.left + noise.right;
    double welch = noise.left * noise.left * left->inverse_degrees +
                   noise.right * noise.right * right->inverse_degrees;

    if (!(sum > 0))
        return 0;
    return fmax(welch / (sum * sum), fmax(left->inverse_degrees, right->inverse_degrees) / 2);
}

/* Whether `left` is better, where its estimate is higher by `gap` more than the margin. */
static bool is_sure(const struct entry *left, const struct entry *right, double gap,
                    struct critical *critical)
{
    struct noise noise = noise_between(left, right);
    double sum = noise.left + noise.right, square = gap * gap;

    if (!(gap > 0) || square <= critical->least * sum)
        return false;
    return square > critical->most * sum ||
           square > square_at(critical, inverse_degrees_of(left, right, noise)) * sum;
}

/* Rows by estimate, the best first, and what is known of their pairs. */
struct table {
    struct entry *rows;
    size_t count, words;                /* of 64 bits, for a row of the table */
    double margin;                      /* of the logarithms */
    double inverse_least, inverse_most; /* 1 / degrees of any pair */
    uint64_t *better; /* bit j of row i: i is better than j, by their places here */
};

static void find_degrees(struct table *table)
{
    table->inverse_least = 1;
    for (size_t i = 0; i < table->count; i++) {
        double inverse = table->rows[i].inverse_degrees;

        table->inverse_least = fmin(table->inverse_least, inverse / 2);
        table->inverse_most = fmax(table->inverse_most, inverse);
    }
}

static bool is_marked(const uint64_t *bits, size_t words, size_t row, size_t bit)
{
    return bits[row * words + bit / WORD_BITS] >> bit % WORD_BITS & 1;
}

static void mark(uint64_t *bits, size_t words, size_t row, size_t bit)
{
    bits[row * words + bit / WORD_BITS] |= (uint64_t)1 << bit % WORD_BITS;
}

/* Pairs that this round tells apart. */
static size_t tell_apart(struct table *table, struct critical *critical)
{
    size_t found = 0;

    for (size_t i = 0; i < table->count; i++) {
        const struct entry *left = &table->rows[i];
        double start = left->estimate - table->margin;

        for (size_t j = i + 1; j < table->count; j++) {
            const struct entry *right = &table->rows[j];

            if (is_marked(table->better, table->words, i, j) ||
                !is_sure(left, right, start - right->estimate, critical))
                continue;
            mark(table->better, table->words, i, j);
            found++;
        }
    }
    return found;
}

static void tell_all_apart(struct table *table)
{
    size_t left = table->count * (table->count - (table->count > 0)) / 2, found = left;
    struct critical critical;

    while (left > 0 && (double)found > WORTH_A_ROUND * (double)left) {
        begin_table(LEVEL / (2 * (double)left), table->inverse_least, table->inverse_most,
                    &critical);
        found = tell_apart(table, &critical);
        left -= found;
    }
}

/* A row is not the best where one other is surely better, tested against each of them. */
static void find_possible_best(const struct table *table, bool *may_be_best)
{
    struct critical critical;

    if (table->count > 1)
        begin_table(LEVEL / (double)(table->count - 1), table->inverse_least, table->inverse_most,
                    &critical);
    for (size_t i = 0; i < table->count; i++) {
        const struct entry *row = &table->rows[i];

        may_be_best[i] = true;
        for (size_t j = 0; j < i && may_be_best[i]; j++) {
            double gap = table->rows[j].estimate - row->estimate - table->margin;

            may_be_best[i] = !is_sure(&table->rows[j], row, gap, &critical);
        }
    }
}

static int by_estimate(const void *left, const void *right)
{
    const struct entry *l = left, *r = right;

    if (l->estimate < r->estimate || l->estimate > r->estimate)
        return l->estimate < r->estimate ? 1 : -1;
    return (l->place > r->place) - (l->place < r->place);
}

/* From places in the table to the rows as they were given. */
static void hand_over(const struct table *table, const bool *may_be_best,
                      struct rank_intervals *intervals)
{
    for (size_t i = 0; i < table->count; i++)
        intervals->rows[i] = (struct rank_interval){.low = 1, .high = table->count};
    for (size_t i = 0; i < table->count; i++) {
        size_t row = table->rows[i].place;

        intervals->rows[row].may_be_best = may_be_best[i];
        for (size_t j = i + 1; j < table->count; j++) {
            size_t other = table->rows[j].place;

            if (!is_marked(table->better, table->words, i, j))
                continue;
            mark(intervals->better, table->words, row, other);
            intervals->rows[row].high--;
            intervals->rows[other].low++;
        }
    }
}

bool rank_intervals_compute(const struct rank_row *rows, size_t count, double margin,
                            struct rank_intervals *ret_intervals, struct error *err)
{
    struct table table = {
        .count = count, .words = count / WORD_BITS + 1, .margin = -log1p(-margin)};
    AUTO(freep) struct entry *entries = calloc(count + 1, sizeof *entries);
    AUTO(freep) uint64_t *better = calloc(count + 1, table.words * sizeof *better);
    AUTO(freep) bool *may_be_best = calloc(count + 1, sizeof *may_be_best);
    AUTO(rank_intervals_clear) struct rank_intervals intervals = {.count = count};

    intervals.rows = calloc(count + 1, sizeof *intervals.rows);
    intervals.better = calloc(count + 1, table.words * sizeof *intervals.better);
    if (!entries || !better || !may_be_best || !intervals.rows || !intervals.better)
        return error_no_memory(err);
    for (size_t i = 0; i < count; i++)
        entries[i] = entry_of(&rows[i], i);
    qsort(entries, count, sizeof *entries, by_estimate);
    table.rows = entries;
    find_degrees(&table);
    table.better = better;
    tell_all_apart(&table);
    find_possible_best(&table, may_be_best);
    hand_over(&table, may_be_best, &intervals);
    *ret_intervals = intervals;
    intervals = (struct rank_intervals){0};
    return true;
}

enum comparison rank_verdict(const struct rank_intervals *intervals, size_t left, size_t right)
{
    size_t words = intervals->count / WORD_BITS + 1;

    if (is_marked(intervals->better, words, left, right))
        return COMPARE_BETTER;
    return is_marked(intervals->better, words, right, left) ? COMPARE_WORSE : COMPARE_TIED;
}

struct ratio rank_ratio(const struct rank_row *left, const struct rank_row *right)
{
    struct entry a = entry_of(left, 0), b = entry_of(right, 1);
    struct noise noise = noise_between(&a, &b);
    double inverse = inverse_degrees_of(&a, &b, noise), gap = a.estimate - b.estimate;
    double half = sqrt(noise.left + noise.right) *
                  student_quantile(1 - LEVEL / 2, inverse > 0 ? 1 / inverse : INFINITY);

    return (struct ratio){.known = isfinite(half),
                          .value = exp(gap),
                          .low = exp(gap - half),
                          .high = exp(gap + half)};
}

void rank_intervals_clear(struct rank_intervals *intervals)
{
    freep(&intervals->rows);
    freep(&intervals->better);
    intervals->count = 0;
}
