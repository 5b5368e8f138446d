#include "db/standings/histories.h"

#include "db/connection.h"
#include "tests/db/finished.h"

#define DAY_US 86400000000LL
#define AT(day) (NOON_US + DAY_US * (day))

static struct histories load(struct db *db, const struct run_filter *filter)
{
    struct histories histories = {0};

    EXPECT_OK(histories_load(db, filter, &histories, &err));
    return histories;
}

static const struct run_filter of_default = {.workload = "resnet50"};

TEST_WITH_DATABASE(runs_are_in_the_order_of_time_with_what_they_ran_on)
{
    ENDED(db, 102, .low = 101, .high = 103, .stratum = "s1", .at_us = AT(2),
          .software = "engine 2",
          .paid = {.per_hour = 0.3, .nanos = 300000000, .currency = "USD", .kind = "spot"});
    ENDED(db, 101, .stratum = "s1", .at_us = AT(1), .software = "engine 1, by the way",
          .paid = {.per_hour = 0.3, .nanos = 300000000, .currency = "EUR", .kind = "spot"});
    execute(db, "UPDATE machines SET facts = json_set(facts, '$.kernel', '6.1',"
                " '$.microcode', '0xa1')");
    AUTO(histories_clear) struct histories histories = load(db, &of_default);
    EXPECT_HAS(histories, (count, 1), (runs, 2), (more, false));
    if (histories.count != 1 || histories.lines[0].count != 2)
        return;
    const struct history_run *runs = histories.lines[0].runs;
    EXPECT_HAS(histories.lines[0], (instance, "m5.large"), (engine, "native"));
    EXPECT_PART(histories.lines[0].configuration, "\"precision\"");
    EXPECT_HAS(runs[0], (at_us, AT(1)), (version, "engine 1, by the way"), (low, 0));
    EXPECT_NEAR(runs[0].dollars, 0, 0); /* not in dollars */
    EXPECT_HAS(runs[1], (at_us, AT(2)), (speed, 102), (low, 101), (high, 103), (dollars, 0.3),
               (kernel, "6.1"), (microcode, "0xa1"));
}

TEST_WITH_DATABASE(what_is_not_known_is_null)
{
    ENDED(db, 100);
    AUTO(histories_clear) struct histories histories = load(db, &of_default);
    EXPECT_INT((long long)histories.count, 1);
    if (histories.count == 1)
        EXPECT(!histories.lines[0].runs[0].version && !histories.lines[0].runs[0].kernel &&
               !histories.lines[0].runs[0].microcode);
}

TEST_WITH_DATABASE(each_contender_has_a_line_of_the_runs_that_count)
{
    ENDED(db, 100, .at_us = AT(1));
    ENDED(db, 200, .instance = "c5.large", .at_us = AT(2));
    ENDED(db, 101, .at_us = AT(3), .validity = VALIDITY_WARN);
    ENDED(db, 102, .at_us = AT(4), .validity = VALIDITY_INVALID);
    ENDED(db, 103, .at_us = AT(5), .unjudged = true);
    ENDED(db, 104, .at_us = AT(6), .failed = true);
    ENDED(db, 201, .instance = "c5.large", .at_us = AT(7));
    AUTO(histories_clear) struct histories all = load(db, &of_default);
    EXPECT_HAS(all, (count, 2), (runs, 6));
    if (all.count == 2) {
        EXPECT_STR(all.lines[0].instance, "c5.large"); /* it has the newest run */
        EXPECT_HAS(all, (lines[0].count, 2), (lines[1].count, 2), (lines[1].runs[1].speed, 101));
    }
    AUTO(histories_clear)
    struct histories one =
        load(db, &(struct run_filter){.workload = "resnet50", .instance = "c5.large"});
    EXPECT_INT((long long)one.count, 1);
    AUTO(histories_clear)
    struct histories none = load(db, &(struct run_filter){.workload = "gpt2"});
    EXPECT_HAS(none, (count, 0), (runs, 0));
}

/* Copies of a run, a minute apart. */
static void copy_run(struct db *db, long long number, int copies)
{
    execute_with(
        db,
        "WITH RECURSIVE count(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM count WHERE i < %d)"
        " INSERT INTO runs (id, state, spec, engine, workload, created_us, ended_us,"
        " samples_per_second, validity, contender, version) SELECT printf('%%026d', i), state,"
        " spec, engine, workload, created_us, ended_us + i * 60000000, samples_per_second + i,"
        " validity, contender, version FROM runs, count WHERE number = %lld",
        copies, number);
}

TEST_WITH_DATABASE(a_long_line_has_its_newest_runs)
{
    copy_run(db, ENDED(db, 1000), HISTORY_LINE_MAX - 1);
    AUTO(histories_clear) struct histories full = load(db, &of_default);
    EXPECT(!full.more);
    EXPECT_INT(full.count == 1 ? (long long)full.lines[0].count : 0, HISTORY_LINE_MAX);
    ENDED(db, 5000, .at_us = AT(1));
    AUTO(histories_clear) struct histories longer = load(db, &of_default);
    EXPECT_HAS(longer, (more, true), (runs, HISTORY_LINE_MAX + 1));
    if (longer.count == 1) {
        EXPECT_HAS(longer.lines[0], (count, HISTORY_LINE_MAX), (runs[0].speed, 1001));
        EXPECT_NEAR(longer.lines[0].runs[HISTORY_LINE_MAX - 1].speed, 5000, 0);
    }
}

TEST_WITH_DATABASE(so_many_runs_are_looked_at_and_no_more)
{
    ENDED(db, 7, .instance = "c5.large");
    copy_run(db, ENDED(db, 1000), HISTORY_RUNS_MAX - 1);
    AUTO(histories_clear) struct histories histories = load(db, &of_default);
    EXPECT_HAS(histories, (runs, HISTORY_RUNS_MAX), (more, true), (count, 1));
}
