#include "engine/stats/rank_interval.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "engine/stats/student.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define LEVEL 0.05
#define WORTH_A_ROUND 0.01 /* of the pairs left: fewer do not make the next round easier */
#define TABLE_SIZE 128     /* of critical values, by 1 / degrees */
#define WORD_BITS 64
#define SLACK 1e-9 /* of a bound: more than rounding moves what it bounds */

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
    assert(at >= 0);
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

/* A row with its precomputed values for each pair. */
struct entry {
    double estimate;
    double own_square, square; /* of the errors: of the row's own part, of all of it */
    double shared_error;
    double inverse_degrees, inverse_of_all; /* 1 / degrees of those two, the latter by
                                               Satterthwaite */
    size_t shares, place;                   /* place: among the rows as they were given */
};

static struct entry entry_of(const struct rank_row *row, size_t place)
{
    double square = row->error * row->error;
    double own = fmax(square - row->shared_error * row->shared_error, 0);
    double part = square > 0 ? own / square : 0;

    return (struct entry){.estimate = row->estimate,
                          .own_square = own,
                          .square = square,
                          .shared_error = row->shared_error,
                          .inverse_degrees = 1 / row->degrees,
                          .inverse_of_all = part * part / row->degrees,
                          .shares = row->shares,
                          .place = place};
}

static bool do_share(const struct entry *left, const struct entry *right)
{
    return left->shares > 0 && left->shares == right->shares;
}

/* Square of the error of the difference of two rows. */
static double noise_between(const struct entry *left, const struct entry *right)
{
    double apart = left->shared_error - right->shared_error;

    if (!do_share(left, right))
        return left->square + right->square;
    return left->own_square + right->own_square + apart * apart;
}

/* 1 / the degrees of freedom of the difference: Welch's, but at most twice the degrees of the row
 * with fewer. Without that limit, a row of three machines that happen to be alike would borrow
 * the degrees of a row of ten. The shared part of two rows adds no degrees either. */
static double inverse_degrees_of(const struct entry *left, const struct entry *right,
                                 double noise)
{
    bool share = do_share(left, right);
    double welch = left->own_square * left->own_square * left->inverse_degrees +
                   right->own_square * right->own_square * right->inverse_degrees;
    double most = share ? fmax(left->inverse_degrees, right->inverse_degrees)
                        : fmax(left->inverse_of_all, right->inverse_of_all);

    return noise > 0 ? fmax(welch / (noise * noise), most / 2) : 0;
}

/* Whether `left` is better, where its estimate is higher by `gap` more than the margin. */
static bool is_sure(const struct entry *left, const struct entry *right, double gap,
                    struct critical *critical)
{
    double noise = noise_between(left, right), square = gap * gap;

    if (!(gap > 0) || square <= critical->least * noise)
        return false;
    return square > critical->most * noise ||
           square > square_at(critical, inverse_degrees_of(left, right, noise)) * noise;
}

/* As many rows as a word has bits, and what no pair with one of them exceeds. */
struct block {
    double highest, lowest; /* estimates */
    double least_square, most_square;
    double least_inverse, most_inverse; /* 1 / degrees of all of a row's error */
};

/* Rows by estimate, the best first, and what is known of their pairs. */
struct table {
    struct entry *rows;
    struct block *blocks; /* as many as words */
    size_t *next_sharing; /* of each row: the next with the same `shares`; `count` without one */
    size_t count, words;  /* of 64 bits, for a row of the table */
    double margin;        /* of the logarithms */
    double inverse_least, inverse_most; /* 1 / degrees of any pair */
    uint64_t *better; /* bit j of row i: i is better than j, by their places here */
};

static void find_degrees(struct table *table)
{
    table->inverse_least = 1;
    for (size_t i = 0; i < table->count; i++) {
        const struct entry *row = &table->rows[i];

        table->inverse_least = fmin(table->inverse_least, row->inverse_of_all / 2);
        table->inverse_most = fmax(table->inverse_most, row->inverse_degrees);
    }
}

static void fill_blocks(struct table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct entry *row = &table->rows[i];
        struct block *block = &table->blocks[i / WORD_BITS];

        if (i % WORD_BITS == 0)
            *block = (struct block){.highest = row->estimate,
                                    .least_square = row->square,
                                    .least_inverse = row->inverse_of_all};
        block->lowest = row->estimate;
        block->least_square = fmin(block->least_square, row->square);
        block->most_square = fmax(block->most_square, row->square);
        block->least_inverse = fmin(block->least_inverse, row->inverse_of_all);
        block->most_inverse = fmax(block->most_inverse, row->inverse_of_all);
    }
}

static int by_shares(const void *left, const void *right)
{
    const struct entry *l = *(struct entry *const *)left, *r = *(struct entry *const *)right;

    if (l->shares != r->shares)
        return l->shares < r->shares ? -1 : 1;
    return (l > r) - (l < r);
}

static void find_sharing(struct table *table)
{
    AUTO(freep) const struct entry **sorted = xcalloc(table->count, sizeof *sorted);

    for (size_t i = 0; i < table->count; i++) {
        sorted[i] = &table->rows[i];
        table->next_sharing[i] = table->count;
    }
    qsort(sorted, table->count, sizeof *sorted, by_shares);
    for (size_t i = 1; i < table->count; i++)
        if (do_share(sorted[i - 1], sorted[i]))
            table->next_sharing[sorted[i - 1] - table->rows] = (size_t)(sorted[i] - table->rows);
}

/* Whether a row is surely better than each of a block with which it shares nothing, or than none
 * of them. The degrees of such a pair lie between half of the fewer and the fewer of the two. */
enum block_verdict { BLOCK_NONE, BLOCK_ALL, BLOCK_UNKNOWN };

static enum block_verdict judge_block(const struct table *table, const struct entry *row,
                                      const struct block *block, struct critical *critical)
{
    double start = row->estimate - table->margin;
    double least_gap = start - block->highest, most_gap = start - block->lowest;
    double most_noise = (row->square + block->most_square) * (1 + SLACK);
    double least_noise = (row->square + block->least_square) * (1 - SLACK), inverse;

    if (!(most_gap > 0))
        return BLOCK_NONE;
    inverse = fmax(row->inverse_of_all, block->most_inverse) * (1 + SLACK);
    if (least_gap > 0 && least_gap * least_gap > square_at(critical, inverse) * most_noise)
        return BLOCK_ALL;
    inverse = fmax(row->inverse_of_all, block->least_inverse) * (1 - SLACK) / 2;
    return most_gap * most_gap <= square_at(critical, inverse) * least_noise ? BLOCK_NONE
                                                                             : BLOCK_UNKNOWN;
}

/* The bits of `asked` of the block whose rows `row` is surely better than. */
static uint64_t judge_each(const struct table *table, size_t row, size_t block, uint64_t asked,
                           struct critical *critical)
{
    const struct entry *left = &table->rows[row];
    uint64_t sure = 0;

    for (; asked; asked &= asked - 1) {
        size_t bit = (size_t)__builtin_ctzll(asked);
        const struct entry *right = &table->rows[block * WORD_BITS + bit];
        double gap = left->estimate - table->margin - right->estimate;

        if (is_sure(left, right, gap, critical))
            sure |= (uint64_t)1 << bit;
    }
    return sure;
}

static uint64_t rows_of(const struct table *table, size_t block)
{
    size_t left = table->count - block * WORD_BITS;

    return left < WORD_BITS ? ((uint64_t)1 << left) - 1 : ~(uint64_t)0;
}

/* The rows of a block that share with the row at `*cursor`; moves it past them. */
static uint64_t take_sharing(const struct table *table, size_t block, size_t *cursor)
{
    uint64_t sharing = 0;

    for (; *cursor < table->count && *cursor / WORD_BITS == block;
         *cursor = table->next_sharing[*cursor])
        sharing |= (uint64_t)1 << *cursor % WORD_BITS;
    return sharing;
}

/* Pairs that this round tells apart. No row is better than itself or those before it, which are
 * in its own block. */
static size_t tell_apart(struct table *table, struct critical *critical)
{
    size_t found = 0;

    for (size_t i = 0; i < table->count; i++) {
        size_t cursor = table->next_sharing[i];

        for (size_t b = i / WORD_BITS; b * WORD_BITS < table->count; b++) {
            uint64_t *word = &table->better[i * table->words + b];
            uint64_t left = rows_of(table, b) & ~*word, sure;
            uint64_t sharing = take_sharing(table, b, &cursor) & left, others = left & ~sharing;
            enum block_verdict verdict = BLOCK_NONE;

            if (others)
                verdict = judge_block(table, &table->rows[i], &table->blocks[b], critical);
            sure = judge_each(table, i, b, verdict == BLOCK_UNKNOWN ? left : sharing, critical);
            if (verdict == BLOCK_ALL)
                sure |= others;
            *word |= sure;
            found += (size_t)__builtin_popcountll(sure);
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

/* Of the rows of one block, how many others are surely better. */
static void count_better(const struct table *table, size_t block, size_t ret_counts[WORD_BITS])
{
    const uint64_t all = rows_of(table, block);
    size_t better_than_all = 0;

    memset(ret_counts, 0, WORD_BITS * sizeof *ret_counts);
    for (size_t i = 0; i < table->count && i < (block + 1) * WORD_BITS; i++) {
        uint64_t left = table->better[i * table->words + block];

        if (left == all)
            better_than_all++;
        else
            for (; left; left &= left - 1)
                ret_counts[__builtin_ctzll(left)]++;
    }
    for (size_t i = 0; i < WORD_BITS; i++)
        ret_counts[i] += better_than_all;
}

static size_t count_worse(const struct table *table, size_t row)
{
    size_t count = 0;

    for (size_t i = 0; i < table->words; i++)
        count += (size_t)__builtin_popcountll(table->better[row * table->words + i]);
    return count;
}

/* From places in the table to the rows as they were given. */
static void hand_over(const struct table *table, const bool *may_be_best,
                      struct rank_intervals *intervals)
{
    size_t better[WORD_BITS];

    for (size_t i = 0; i < table->count; i++) {
        size_t row = table->rows[i].place;

        if (i % WORD_BITS == 0)
            count_better(table, i / WORD_BITS, better);
        intervals->places[row] = i;
        intervals->rows[row] =
            (struct rank_interval){.low = 1 + better[i % WORD_BITS],
                                   .high = table->count - count_worse(table, i),
                                   .may_be_best = may_be_best[i]};
        /* No row is both better and worse than another. */
        assert(intervals->rows[row].low <= intervals->rows[row].high);
    }
}

static void make_room(size_t count, struct table *table, struct rank_intervals *intervals)
{
    table->count = intervals->count = count;
    table->words = count / WORD_BITS + 1;
    table->rows = xcalloc(count, sizeof *table->rows);
    table->blocks = xcalloc(table->words, sizeof *table->blocks);
    table->next_sharing = xcalloc(count, sizeof *table->next_sharing);
    intervals->rows = xcalloc(count, sizeof *intervals->rows);
    intervals->places = xcalloc(count, sizeof *intervals->places);
    intervals->better = xcalloc(count, table->words * sizeof *intervals->better);
    table->better = intervals->better;
}

/* What is only of use while ranks are computed. */
static void table_clear(struct table *table)
{
    freep(&table->rows);
    freep(&table->blocks);
    freep(&table->next_sharing);
}

void rank_intervals_compute(const struct rank_row *rows, size_t count, double margin,
                            struct rank_intervals *ret_intervals)
{
    AUTO(table_clear) struct table table = {.margin = -log1p(-margin)};
    AUTO(freep) bool *may_be_best = xcalloc(count, sizeof *may_be_best);
    struct rank_intervals intervals = {0};

    make_room(count, &table, &intervals);
    for (size_t i = 0; i < count; i++)
        table.rows[i] = entry_of(&rows[i], i);
    qsort(table.rows, count, sizeof *table.rows, by_estimate);
    find_sharing(&table);
    find_degrees(&table);
    fill_blocks(&table);
    tell_all_apart(&table);
    find_possible_best(&table, may_be_best);
    hand_over(&table, may_be_best, &intervals);
    *ret_intervals = intervals;
}

static bool is_better(const struct rank_intervals *intervals, size_t left, size_t right)
{
    size_t place = intervals->places[right], words = intervals->count / WORD_BITS + 1;

    return intervals->better[intervals->places[left] * words + place / WORD_BITS] >>
               place % WORD_BITS &
           1;
}

enum comparison rank_verdict(const struct rank_intervals *intervals, size_t left, size_t right)
{
    if (is_better(intervals, left, right))
        return COMPARE_BETTER;
    return is_better(intervals, right, left) ? COMPARE_WORSE : COMPARE_TIED;
}

void rank_intervals_clear(struct rank_intervals *intervals)
{
    freep(&intervals->rows);
    freep(&intervals->places);
    freep(&intervals->better);
    intervals->count = 0;
}
