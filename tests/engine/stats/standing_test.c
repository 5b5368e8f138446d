#include "engine/stats/standing.h"

#include "tests/test.h"

#include <ctype.h>
#include <math.h>

#define HOUR_US 3600000000LL

/* A run of `vm` with a tight interval of its own; a single letter stands for an instance. */
static struct run_result run_of(const char *vm, double value, long long at_us)
{
    struct run_result run_result = {.value = value,
                                    .low = value * 0.99,
                                    .high = value * 1.01,
                                    .at_us = at_us,
                                    .validity = VALIDITY_OK};

    if (strlen(vm) == 1)
        snprintf(run_result.vm, sizeof run_result.vm, "i%014d%s", 0, vm);
    else
        snprintf(run_result.vm, sizeof run_result.vm, "%.16s", vm);
    return run_result;
}

static struct standing standing_of(const struct run_result *results, size_t count)
{
    struct standing standing;

    standing_compute(results, count, &standing);
    return standing;
}

static bool near(double value, double expected)
{
    return fabs(value - expected) <= 1e-9 * fabs(expected);
}

/* How sure it is: pool_test.c has the figures. */
static bool is_within(const struct standing *standing, double low, double high)
{
    const struct range *range = &standing->interval;

    return range->known && low < range->low && range->low < standing->value &&
           standing->value < range->high && range->high < high;
}

TEST(without_a_valid_run_there_is_nothing)
{
    struct run_result runs[] = {run_of("a", 40, 1), run_of("a", 41, 2)};
    struct standing standing;

    runs[0].validity = VALIDITY_INVALID;
    runs[1].validity = VALIDITY_UNKNOWN;
    standing = standing_of(runs, COUNT(runs));
    EXPECT_HAS(standing, (level, STANDING_NONE), (runs, 0), (invalid, 2));
    EXPECT(!standing.interval.known);
    EXPECT_INT(standing_of(NULL, 0).level, STANDING_NONE);
}

TEST(one_run_is_as_sure_as_its_steps_and_other_runs)
{
    const struct run_result run = run_of("a", 40, HOUR_US);
    struct standing standing = standing_of(&run, 1);

    EXPECT_HAS(standing, (level, STANDING_STEPS), (value, 40));
    EXPECT(is_within(&standing, 36, 44));
    EXPECT(standing.interval.low < 39.6 && standing.interval.high > 40.4);
    EXPECT_INT(standing.vms, 1);
}

/* Others took a fifth of the machine from each run: how fast it is without them no number of such
 * runs says. */
TEST(what_others_took_stays_in_the_interval)
{
    struct run_result runs[] = {run_of("a", 40, 3), run_of("a", 40.1, 2), run_of("a", 39.9, 1)};
    struct standing standing;

    for (size_t i = 0; i < COUNT(runs); i++)
        runs[i].high *= 1.25;
    standing = standing_of(runs, COUNT(runs));
    EXPECT_NEAR(standing.value, 40, 0.01);
    EXPECT(standing.interval.high > 50 && standing.interval.low > 38);
}

/* Runs of 100 to 104 a second, the newest first; those in lower case have too few steps for an
 * interval. */
static struct standing standing_of_letters(const char *letters)
{
    struct run_result runs[8];
    size_t count = strlen(letters);

    for (size_t i = 0; i < count; i++) {
        runs[i] = run_of((char[]){(char)tolower(letters[i]), '\0'},
                         100 + (double)(letters[i] % 5), (long long)(count - i));
        if (islower(letters[i]))
            runs[i].low = runs[i].high = 0;
    }
    return standing_of(runs, count);
}

/* A run without an interval moves none that has one. Where no run of most machines has one, what
 * differs between them is all that is known. */
TEST(runs_without_an_interval_count_where_others_hide_no_machines)
{
    static const struct {
        const char *runs, *alone; /* with one; NULL: all count */
        enum standing_level level;
        int machines;
    } rows[] = {
        {"aA", "A", STANDING_STEPS, 1},    /* 110 steps, and then 8 */
        {"dcCBA", "CBA", STANDING_VMS, 3}, /* 5 on a fourth machine, and on one of the three */
        {"cC", "C", STANDING_STEPS, 1},    /* of one machine: not two */
        {"Aabcde", NULL, STANDING_VMS, 5}, /* one longer run hides no machines */
        {"abc", NULL, STANDING_VMS, 3},    {"a", NULL, STANDING_POINT, 1},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct standing standing = standing_of_letters(rows[i].runs);
        struct standing alone = standing_of_letters(rows[i].alone ? rows[i].alone : rows[i].runs);
        int failures_before = test_failures;

        EXPECT_HAS(standing, (level, rows[i].level), (vms, rows[i].machines), (runs, alone.runs),
                   (too_short, (long long)strlen(rows[i].runs) - alone.runs));
        EXPECT(near(standing.value, alone.value));
        EXPECT(near(standing.interval.high, alone.interval.high));
        EXPECT_HAS(standing, (machine_count, alone.machine_count), (newest_us, alone.newest_us));
        EXPECT_INT(standing_between(&standing, 0.03).known, standing.level > STANDING_POINT);
        if (test_failures > failures_before)
            printf("       %s\n", rows[i].runs);
    }
}

TEST(three_runs_of_one_machine_speak_of_that_machine)
{
    const struct run_result runs[] = {run_of("a", 40, 3), run_of("a", 41, 2), run_of("a", 42, 1)};
    struct standing standing = standing_of(runs, 3);

    EXPECT_INT(standing.level, STANDING_RUNS);
    EXPECT_NEAR(standing.value, 41, 0.02);
    EXPECT(is_within(&standing, 38, 44));
    EXPECT_HAS(standing, (first_us, 1), (newest_us, 3));
}

TEST(three_machines_speak_of_the_type)
{
    const struct run_result runs[] = {run_of("a", 40, 1), run_of("a", 10, 1), run_of("a", 41, 1),
                                      run_of("b", 42, 1), run_of("c", 44, 1), run_of("c", 44, 1)};
    struct standing standing = standing_of(runs, COUNT(runs));

    EXPECT_HAS(standing, (level, STANDING_VMS), (vms, 3));
    EXPECT_NEAR(standing.value, 42, 1.5); /* the stray run is outvoted */
    EXPECT(is_within(&standing, 33, 53));
    EXPECT_INT((long long)standing.value_count, 3);
}

/* Half of the interval is the error times Student's t. */
TEST(a_standing_is_a_row_to_rank_with_the_same_interval)
{
    const struct run_result three[] = {run_of("a", 40, 1), run_of("b", 41, 1),
                                       run_of("c", 42, 1)};
    const struct run_result same[] = {run_of("a", 40, 1), run_of("a", 41, 1), run_of("a", 42, 1)};
    struct standing vms = standing_of(three, 3), runs = standing_of(same, 3);
    struct standing steps = standing_of(three, 1);
    struct rank_row row = standing_rank_row(&vms, 0.03);

    /* The prior has four degrees of freedom, and three values two. */
    EXPECT_NEAR(row.degrees, 6, 0);
    EXPECT_NEAR(row.estimate + row.error * stats_t95(6), log(vms.interval.high), 1e-9);
    EXPECT_NEAR(row.estimate - row.error * stats_t95(6), log(vms.interval.low), 1e-9);
    row = standing_rank_row(&runs, 0);
    EXPECT_NEAR(row.degrees, 6, 1e-9);
    EXPECT_NEAR(row.estimate + row.error * stats_t95(6), log(runs.interval.high), 1e-9);
    EXPECT_NEAR(standing_rank_row(&runs, 0.03).error, hypot(row.error, 0.03), 1e-9);
    EXPECT(standing_rank_row(&runs, 0.03).degrees > 20); /* the spread is taken as known */
    row = standing_rank_row(&steps, 0);
    EXPECT_NEAR(row.degrees, 4, 1e-9);
    EXPECT_NEAR(row.estimate + row.error * stats_t95(4), log(steps.interval.high), 1e-9);
}

TEST(invalid_runs_are_counted_and_left_out)
{
    struct run_result runs[] = {run_of("a", 40, 1), run_of("a", 4, 9), run_of("a", 41, 1)};
    struct standing standing;

    runs[1].validity = VALIDITY_INVALID;
    runs[2].validity = VALIDITY_WARN;
    runs[2].provenance = PROVENANCE_IMPORTED;
    standing = standing_of(runs, COUNT(runs));
    EXPECT_INT(standing.level, STANDING_RUNS);
    EXPECT(near(standing.value, sqrt(40 * 41)));
    EXPECT_HAS(standing, (runs, 2), (invalid, 1), (warned, 1), (imported, 1), (newest_us, 1));
}

/* Otherwise two types with one machine each would be called different by the difference of those
 * two machines. */
TEST(fewer_than_three_machines_are_held_against_others_with_their_spread)
{
    const struct run_result one = run_of("a", 40, 1);
    struct standing standing = standing_of(&one, 1);
    struct range range = standing_between(&standing, 0.03);

    EXPECT_NEAR(log(40 / range.low), hypot(log(40 / standing.interval.low), Z_95 * 0.03), 1e-9);
    EXPECT_NEAR(log(range.high / 40), hypot(log(standing.interval.high / 40), Z_95 * 0.03), 1e-9);
    EXPECT(near(standing_between(&standing, 0).low, standing.interval.low));

    const struct run_result three[] = {run_of("a", 40, 1), run_of("b", 41, 1),
                                       run_of("c", 42, 1)};
    standing = standing_of(three, 3);
    EXPECT(standing_between(&standing, 0.03).low == standing.interval.low);
}

#define DISK_A "s0000000000000aa"
#define DISK_B "s0000000000000bb"
#define DISK_C "s0000000000000cc"

static long long machines_of(const char *const *vms, size_t count)
{
    struct run_result runs[8];

    for (size_t i = 0; i < count; i++)
        runs[i] = run_of(vms[i], 40, 1);
    return standing_of(runs, count).vms;
}

/* Any two of these names may be of one machine, and then it would narrow the interval between
 * machines without another machine. */
TEST(where_sameness_is_not_known_machines_count_as_one)
{
    static const struct {
        const char *vms[6];
        long long machines;
    } rows[] = {
        {{"", "", ""}, 1},
        {{"a", "", DISK_A}, 1},             /* its identity was known after the first run */
        {{"a", "b", ""}, 2},                /* the third may be either */
        {{"a", "b", DISK_A, DISK_B}, 2},    /* the same two again, off the metadata service */
        {{DISK_A, DISK_B, DISK_C, "a"}, 3}, /* three machines; one said who it is */
        {{DISK_A, "a", "b", "c", ""}, 3},
        {{"garbage", "more of it", "a"}, 1},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t count = 0;

        while (count < COUNT(rows[i].vms) && rows[i].vms[count])
            count++;
        EXPECT_INT(machines_of(rows[i].vms, count), rows[i].machines);
    }
}

/* They are still runs, and count like all others where machines are not distinguished. */
TEST(runs_of_unknown_machines_take_no_part_between_machines)
{
    const struct run_result many[] = {run_of("a", 40, 1), run_of("b", 41, 1), run_of("c", 42, 1),
                                      run_of("", 10, 1), run_of(DISK_A, 11, 1)};
    const struct run_result few[] = {run_of("a", 40, 1), run_of("", 41, 1), run_of("", 42, 1)};
    struct standing standing = standing_of(many, COUNT(many));

    EXPECT_HAS(standing, (level, STANDING_VMS), (runs, 5));
    EXPECT_NEAR(standing.value, 41, 0.02);
    standing = standing_of(few, COUNT(few));
    EXPECT_INT(standing.level, STANDING_RUNS);
    EXPECT_NEAR(standing.value, 41, 0.02);
}
