#include "engine/stats/rank_interval.h"

#include "common/error.h"
#include "engine/stats/student.h"
#include "tests/engine/trace/traces.h"
#include "tests/test.h"

#include <math.h>

#define FLEETS 2000
#define ROWS_MAX 12
#define MACHINES_MAX 10

/* Mean of logarithms of machines' speeds, as a row to rank. */
static struct rank_row row_of(const double *speeds, size_t count)
{
    double logs[MACHINES_MAX];

    for (size_t i = 0; i < count; i++)
        logs[i] = log(speeds[i]);
    return (struct rank_row){.estimate = stats_mean(logs, count),
                             .error = sqrt(stats_variance(logs, count) / (double)count),
                             .degrees = (double)count - 1};
}

static struct rank_intervals rank(const struct rank_row *rows, size_t count, double margin)
{
    struct rank_intervals intervals = {0};

    rank_intervals_compute(rows, count, margin, &intervals);
    return intervals;
}

#define EXPECT_RANKS(of, row, wanted_low, wanted_high)                                           \
    do {                                                                                         \
        EXPECT_INT((long long)(of).rows[row].low, wanted_low);                                   \
        EXPECT_INT((long long)(of).rows[row].high, wanted_high);                                 \
    } while (0)

/* The first row ties with both others, and the second is surely better than the third: one rank
 * for each row, "1 (tie)", would hide that. */
TEST(a_tie_with_the_first_row_hides_no_difference_behind_it)
{
    static const double speeds[3][3] = {{112, 100, 90}, {99, 99.1, 98.9}, {80, 79.9, 80.1}};
    struct rank_row rows[3];

    for (size_t i = 0; i < 3; i++)
        rows[i] = row_of(speeds[i], 3);
    AUTO(rank_intervals_clear) struct rank_intervals ranks = rank(rows, 3, 0.03);
    EXPECT_RANKS(ranks, 0, 1, 3);
    EXPECT_RANKS(ranks, 1, 1, 2);
    EXPECT_RANKS(ranks, 2, 2, 3);
    EXPECT(ranks.rows[0].may_be_best && ranks.rows[1].may_be_best && !ranks.rows[2].may_be_best);
    EXPECT_INT(rank_verdict(&ranks, 1, 2), COMPARE_BETTER);
    EXPECT_INT(rank_verdict(&ranks, 2, 1), COMPARE_WORSE);
    EXPECT_INT(rank_verdict(&ranks, 0, 1), COMPARE_TIED);
    EXPECT_INT(rank_verdict(&ranks, 2, 0), COMPARE_TIED);
}

TEST(rows_known_exactly_have_one_rank_each)
{
    const struct rank_row rows[] = {
        {1, 0, INFINITY, 0, 0}, {3, 0, 1, 0, 0}, {2, 0, 5, 0, 0}, {2, 0, 5, 0, 0}};
    AUTO(rank_intervals_clear) struct rank_intervals ranks = rank(rows, 4, 0);

    EXPECT_RANKS(ranks, 0, 4, 4);
    EXPECT_RANKS(ranks, 1, 1, 1);
    EXPECT_RANKS(ranks, 2, 2, 3); /* the two are equal */
    EXPECT_RANKS(ranks, 3, 2, 3);
    EXPECT(ranks.rows[1].may_be_best && !ranks.rows[2].may_be_best);
}

TEST(one_row_and_no_row_have_their_ranks)
{
    const struct rank_row row = {1, 0.1, 2, 0, 0};
    AUTO(rank_intervals_clear)
    struct rank_intervals one = rank(&row, 1, 0), none = rank(&row, 0, 0);

    EXPECT_RANKS(one, 0, 1, 1);
    EXPECT(one.rows[0].may_be_best);
    EXPECT_INT((long long)none.count, 0);
}

/* Two rows with Welch's t of 7.07 on 4 degrees of freedom: p is 0.0021 on both sides. */
TEST(a_pair_alone_is_tested_at_five_percent_and_one_of_many_at_less)
{
    struct rank_row rows[9] = {{0.1, 0.01, 2, 0, 0}, {0, 0.01, 2, 0, 0}};

    AUTO(rank_intervals_clear) struct rank_intervals alone = rank(rows, 2, 0);
    EXPECT_INT(rank_verdict(&alone, 0, 1), COMPARE_BETTER);
    for (size_t i = 2; i < 9; i++) /* 0.05 / 36 is less than that */
        rows[i] = (struct rank_row){0.05, 0.1, 2, 0, 0};
    AUTO(rank_intervals_clear) struct rank_intervals many = rank(rows, 9, 0);
    EXPECT_INT(rank_verdict(&many, 0, 1), COMPARE_TIED);
    /* If the first round separates all other pairs, the test of this pair remains with two
     * of its kind. */
    for (size_t i = 2; i < 9; i++)
        rows[i] = (struct rank_row){(double)i, 1e-9, INFINITY, 0, 0};
    AUTO(rank_intervals_clear) struct rank_intervals stepped = rank(rows, 9, 0);
    EXPECT_INT(rank_verdict(&stepped, 0, 1), COMPARE_BETTER);
    EXPECT_RANKS(stepped, 8, 1, 1);
    EXPECT_RANKS(stepped, 1, 9, 9);
}

TEST(a_difference_within_the_margin_decides_nothing)
{
    const struct rank_row rows[] = {{0.029, 1e-6, INFINITY, 0, 0}, {0, 1e-6, INFINITY, 0, 0}};
    AUTO(rank_intervals_clear)
    struct rank_intervals any = rank(rows, 2, 0), margin = rank(rows, 2, 0.03);

    EXPECT_INT(rank_verdict(&any, 0, 1), COMPARE_BETTER);
    EXPECT_INT(rank_verdict(&margin, 0, 1), COMPARE_TIED);
}

/* Two strata of a type have one price: that it moves by 20 % says nothing about which is better.
 */
TEST(an_unknown_that_two_rows_share_does_not_count_between_them)
{
    struct rank_row rows[] = {{0.1, hypot(0.01, 0.2), 1e6, 7, 0.2},
                              {0.0, hypot(0.01, 0.2), 1e6, 7, 0.2},
                              {-0.1, hypot(0.01, 0.2), 1e6, 8, 0.2},
                              {-0.2, 0.01, 1e6, 0, 0}};
    AUTO(rank_intervals_clear) struct rank_intervals ranks = rank(rows, 4, 0);

    EXPECT_INT(rank_verdict(&ranks, 0, 1), COMPARE_BETTER);
    EXPECT_INT(rank_verdict(&ranks, 1, 2), COMPARE_TIED);
    EXPECT_INT(rank_verdict(&ranks, 2, 3), COMPARE_TIED);
}

/* A made-up fleet: the truth of each row, and what was measured of it. */
struct fleet {
    size_t count;
    double truth[ROWS_MAX];
    struct rank_row rows[ROWS_MAX];
};

/* Types with 3 to 8 machines, which differ by 0.5 to 10 %; of `ties`, some are exactly alike. */
static void make_fleet(long long seed, bool ties, struct fleet *fleet)
{
    struct chance chance = seeded(seed);

    fleet->count = 2 + chance_below(&chance, ROWS_MAX - 1);
    for (size_t i = 0; i < fleet->count; i++) {
        size_t machines = 3 + chance_below(&chance, 6);
        double spread = 0.005 * pow(20, uniform(&chance)), speeds[MACHINES_MAX];

        fleet->truth[i] = 0.3 * uniform(&chance);
        if (ties && i > 0 && uniform(&chance) < 0.7)
            fleet->truth[i] = fleet->truth[chance_below(&chance, i)];
        for (size_t j = 0; j < machines; j++)
            speeds[j] = exp(fleet->truth[i] + spread * normal(&chance));
        fleet->rows[i] = row_of(speeds, machines);
    }
}

/* Every rank that a row has among its equals is within its interval, of every row. */
static bool covers_all(const struct fleet *fleet, const struct rank_intervals *ranks)
{
    for (size_t i = 0; i < fleet->count; i++) {
        size_t better = 0, worse = 0;

        for (size_t j = 0; j < fleet->count; j++) {
            better += fleet->truth[j] > fleet->truth[i];
            worse += fleet->truth[j] < fleet->truth[i];
        }
        if (ranks->rows[i].low > better + 1 || ranks->rows[i].high < fleet->count - worse)
            return false;
    }
    return true;
}

static bool keeps_the_best(const struct fleet *fleet, const struct rank_intervals *ranks)
{
    size_t best = 0;

    for (size_t i = 1; i < fleet->count; i++)
        if (fleet->truth[i] > fleet->truth[best])
            best = i;
    return ranks->rows[best].may_be_best;
}

TEST(the_true_ranks_of_all_rows_are_within_in_95_of_100_fleets)
{
    for (int ties = 0; ties < 2; ties++) {
        int covered = 0, kept = 0, apart = 0, pairs = 0, best = 0, first = 0;

        for (long long seed = 1; seed <= FLEETS; seed++) {
            struct fleet fleet;

            make_fleet(seed, ties, &fleet);
            AUTO(rank_intervals_clear)
            struct rank_intervals ranks = rank(fleet.rows, fleet.count, 0);
            covered += covers_all(&fleet, &ranks);
            kept += keeps_the_best(&fleet, &ranks);
            pairs += (int)(fleet.count * (fleet.count - 1));
            for (size_t i = 0; i < fleet.count; i++) {
                best += ranks.rows[i].may_be_best;
                first += ranks.rows[i].low == 1;
                apart += (int)(fleet.count - 1 - (ranks.rows[i].high - ranks.rows[i].low));
            }
        }
        printf("       %s: ranks %.4f, best %.4f covered; %.3f of pairs told apart, %d of %d "
               "rows that may be first are left\n",
               ties ? "ties" : "no ties", (double)covered / FLEETS, (double)kept / FLEETS,
               (double)apart / pairs, best, first);
        EXPECT(covered >= 0.95 * FLEETS);
        EXPECT(kept >= 0.95 * FLEETS);
        EXPECT(best < first);
        /* An answer that tells nothing apart would cover everything. */
        EXPECT(apart >= (ties ? 0.1 : 0.25) * pairs);
    }
}

/* Three machines that happen to be alike must not borrow the degrees of ten. */
TEST(equal_rows_of_three_and_of_ten_machines_stay_tied)
{
    struct chance chance = seeded(5);
    int tied = 0;

    for (int i = 0; i < FLEETS; i++) {
        struct rank_row rows[10];
        bool all_tied = true;

        for (size_t j = 0; j < COUNT(rows); j++) {
            size_t machines = j % 2 ? 3 : 10;
            double speeds[MACHINES_MAX];

            for (size_t k = 0; k < machines; k++)
                speeds[k] = exp(0.03 * normal(&chance));
            rows[j] = row_of(speeds, machines);
        }
        AUTO(rank_intervals_clear) struct rank_intervals ranks = rank(rows, COUNT(rows), 0);
        for (size_t j = 0; j < COUNT(rows); j++)
            all_tied &= ranks.rows[j].low == 1 && ranks.rows[j].high == COUNT(rows);
        tied += all_tied;
    }
    EXPECT(tied >= 0.95 * FLEETS);
}

TEST(the_order_of_the_rows_given_does_not_matter)
{
    struct fleet fleet;
    struct rank_row turned[ROWS_MAX];

    make_fleet(11, true, &fleet);
    for (size_t i = 0; i < fleet.count; i++)
        turned[i] = fleet.rows[fleet.count - 1 - i];
    AUTO(rank_intervals_clear)
    struct rank_intervals ranks = rank(fleet.rows, fleet.count, 0.01),
                          other = rank(turned, fleet.count, 0.01);
    for (size_t i = 0; i < fleet.count; i++)
        EXPECT(memcmp(&ranks.rows[i], &other.rows[fleet.count - 1 - i], sizeof *ranks.rows) == 0);
}

/* More rows than bits in a word, in groups far apart. */
TEST(many_rows_have_the_ranks_of_their_group)
{
    enum { MANY = 300, GROUP = 30 };
    static struct rank_row rows[MANY];
    struct chance chance = seeded(3);

    for (size_t i = 0; i < MANY; i++)
        rows[i] = (struct rank_row){.estimate = -(double)(i / GROUP) + 0.001 * normal(&chance),
                                    .error = 0.001,
                                    .degrees = 10};
    AUTO(rank_intervals_clear) struct rank_intervals ranks = rank(rows, MANY, 0.03);
    for (size_t i = 0; i < MANY; i++)
        EXPECT_RANKS(ranks, i, (long long)(i / GROUP * GROUP + 1),
                     (long long)(i / GROUP * GROUP + GROUP));
    for (size_t i = 0; i < MANY; i++)
        for (size_t j = 0; j < MANY; j++)
            EXPECT(rank_verdict(&ranks, i, j) == (i / GROUP < j / GROUP   ? COMPARE_BETTER
                                                  : i / GROUP > j / GROUP ? COMPARE_WORSE
                                                                          : COMPARE_TIED));
}

/* Rows of every kind: known exactly, of few machines or many, with a price of their own or the
 * price of their type. */
static void make_rows(struct rank_row *rows, size_t count, bool prices, struct chance *chance)
{
    for (size_t i = 0; i < count; i++) {
        double own = chance_below(chance, 20) ? 0.003 * pow(10, uniform(chance)) : 0;

        rows[i] = (struct rank_row){.estimate = 2 * uniform(chance),
                                    .error = own,
                                    .degrees = own > 0 ? 1 + (double)chance_below(chance, 9) : 1};
        if (prices && chance_below(chance, 3)) {
            rows[i].shares = 1 + chance_below(chance, count / 3);
            rows[i].shared_error = 0.05 * uniform(chance);
            rows[i].error = hypot(own, rows[i].shared_error);
        }
    }
}

/* How many times its critical value the difference of a pair is, at Holm's last level for so many
 * pairs. */
static double certainty(const struct rank_row *left, const struct rank_row *right, size_t pairs)
{
    bool share = left->shares > 0 && left->shares == right->shares;
    const struct rank_row *rows[] = {left, right};
    double noise = share ? pow(left->shared_error - right->shared_error, 2) : 0;
    double welch = 0, most = 0;

    for (size_t i = 0; i < 2; i++) {
        double square = pow(rows[i]->error, 2);
        double own = fmax(square - pow(rows[i]->shared_error, 2), 0);
        double part = share || square <= 0 ? 1 : own / square;

        noise += share ? own : square;
        welch += own * own / rows[i]->degrees;
        most = fmax(most, square > 0 ? part * part / rows[i]->degrees : 0);
    }
    if (noise <= 0)
        return left->estimate > right->estimate ? INFINITY : 0;
    return (left->estimate - right->estimate) / sqrt(noise) /
           student_quantile(1 - 0.05 / (2 * (double)pairs),
                            1 / fmax(welch / (noise * noise), most / 2));
}

/* Rows are judged by the block: no pair may be judged otherwise than by itself. The first rounds
 * are as strict as for all pairs, and the last is not done where it finds fewer than one in a
 * hundred; what lies between the two, and what the lines of the table of critical values are off
 * by, may come out either way. */
TEST(pairs_of_many_rows_are_told_apart_as_each_by_itself)
{
    enum { MANY = 500 };
    static struct rank_row rows[MANY];

    for (long long seed = 1; seed <= 4; seed++) {
        struct chance chance = seeded(seed);
        size_t count = seed == 1 ? 64 : seed == 2 ? 129 : MANY, pairs = count * (count - 1) / 2;
        size_t apart = 0, sharing = 0;

        make_rows(rows, count, seed != 3, &chance);
        AUTO(rank_intervals_clear) struct rank_intervals ranks = rank(rows, count, 0);
        for (size_t i = 0; i < count; i++)
            apart += count - 1 - (ranks.rows[i].high - ranks.rows[i].low);
        apart /= 2;
        for (size_t i = 0; i < count; i++) {
            size_t better = 0, worse = 0;

            for (size_t j = 0; j < count; j++) {
                enum comparison verdict = i == j ? COMPARE_TIED : rank_verdict(&ranks, i, j);

                better += verdict == COMPARE_WORSE;
                worse += verdict == COMPARE_BETTER;
                if (i == j || certainty(&rows[i], &rows[j], pairs) > 1.01)
                    EXPECT_INT(verdict, i == j ? COMPARE_TIED : COMPARE_BETTER);
                else if (verdict == COMPARE_BETTER)
                    EXPECT(certainty(&rows[i], &rows[j], pairs - apart + 1) > 0.99);
                sharing += i != j && rows[i].shares > 0 && rows[i].shares == rows[j].shares &&
                           verdict == COMPARE_BETTER;
            }
            EXPECT_RANKS(ranks, i, (long long)(better + 1), (long long)(count - worse));
        }
        EXPECT(apart > pairs / 3 && apart < pairs - pairs / 50);
        EXPECT((sharing > 0) == (seed != 3));
    }
}
