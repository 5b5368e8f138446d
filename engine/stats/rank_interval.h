/* Which ranks a row may have, given what was measured. Each row gets a lowest and a highest rank,
 * and with 95 % the true ranks of all rows together lie between them, whatever the true values
 * are (Mogstad, Romano, Shaikh and Wilhelm, 2020). Pure, without random numbers.
 *
 * Every pair of rows is tested by Welch's t on the logarithms, at a level divided by the number
 * of pairs that are not told apart yet (Holm, 1979): what one round tells apart makes the next
 * round easier. In made-up fleets, with as many equal rows as one likes, all ranks were covered
 * in 95 to 99 of 100 (tests/engine/stats/rank_interval_test.c). Time and memory grow with the
 * square of the rows: 2,000 rows take 3 to 10 ms and 0.5 MB. Rows far apart are told apart 64 at
 * a time, with the same result as one by one. */
#pragma once

#include "engine/stats/compare.h"

#include <stdint.h>

/* The data of a row. */
struct rank_row {
    double estimate; /* logarithm of the ranked value; more is better */
    double error;    /* its standard error, all parts included; 0: known exactly */
    /* Of freedom, of the part of the error that is the row's own: 1 or more, or half of the
     * degrees of an estimate that all rows have together; INFINITY: it is known. How far a shared
     * unknown spreads is always taken as known. */
    double degrees;
    /* Rows with the same `shares` above 0 contain one unknown together, such as the price of
     * their type. It does not count between them, but for what it moves one more than the other.
     */
    size_t shares;
    double shared_error; /* standard error of that unknown; at most `error` */
};

struct rank_interval {
    size_t low;  /* 1 + number of surely better rows */
    size_t high; /* number of rows not surely worse, itself included */
    /* No other row is surely better, as a statement of its own with 95 %: the true best row is
     * among these (Hsu's comparison with the best, 1984). It needs one test for each other row
     * instead of one for each pair, so that fewer rows are left than have low = 1. */
    bool may_be_best;
};

struct rank_intervals {
    struct rank_interval *rows; /* in the order of the rows given */
    size_t count;
    size_t *places;   /* owned: of each row, by estimate, the best first */
    uint64_t *better; /* owned: of places; see rank_verdict() */
};

/* Better means: by more than the share `margin`, as in compare_judge(); 0 for any difference. */
void rank_intervals_compute(const struct rank_row *rows, size_t count, double margin,
                            struct rank_intervals *ret_intervals);

/* Whether row `left` is surely better or worse than row `right`. Agrees with the intervals: low
 * is 1 + the number of rows with COMPARE_WORSE. */
enum comparison rank_verdict(const struct rank_intervals *intervals, size_t left, size_t right);

/* A zeroed one is fine. */
void rank_intervals_clear(struct rank_intervals *intervals);
