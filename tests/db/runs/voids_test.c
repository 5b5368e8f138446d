/* A run that a person took back is kept and counts nowhere, until it is counted again. */
#include "db/runs/voids.h"

#include "db/contenders/contenders.h"
#include "db/runs/run_list.h"
#include "db/standings/gate_runs.h"
#include "tests/db/finished.h"

static struct taken_back taken(long long at_us, const char *by, const char *reason)
{
    struct taken_back taken_back = {.at_us = at_us};

    snprintf(taken_back.by, sizeof taken_back.by, "%s", by);
    snprintf(taken_back.reason, sizeof taken_back.reason, "%s", reason);
    return taken_back;
}

static struct run_id id_of(struct db *db, long long number)
{
    struct run_id id;
    char sql[100];

    snprintf(sql, sizeof sql, "SELECT id FROM runs WHERE number = %lld", number);
    text_of(db, sql, sizeof id.text, id.text);
    return id;
}

/* Whether something has changed. */
static bool put(struct db *db, long long number, const struct taken_back *voided)
{
    AUTO(run_clear) struct run run = {0};
    bool changed = false;

    EXPECT_OK(voids_put(db, id_of(db, number).text, voided, &run, &changed, &err));
    EXPECT(run.voided.at_us > 0);
    EXPECT_INT(run.number, number);
    return changed;
}

static bool lift(struct db *db, long long number, const struct taken_back *lifted)
{
    AUTO(run_clear) struct run run = {0};
    bool changed = false;

    EXPECT_OK(voids_lift(db, id_of(db, number).text, lifted, &run, &changed, &err));
    EXPECT_INT(run.voided.at_us, 0);
    return changed;
}

TEST_WITH_DATABASE(a_voided_run_is_kept_with_who_why_and_when)
{
    const struct taken_back first = taken(NOON_US + 7, "ann", "the wrong branch"),
                            second = taken(NOON_US + 9, "bob", "another reason");
    long long number = ENDED(db, 100, .low = 99, .high = 101);
    AUTO(run_list_free) struct run_list list = {0};

    EXPECT(put(db, number, &first));
    EXPECT(!put(db, number, &second)); /* the first one stays */
    AUTO(run_clear) struct run run = find_run(db, id_of(db, number).text);
    EXPECT_HAS(run, (state, RUN_FINISHED), (validity, VALIDITY_OK),
               (summary.samples_per_second, 100), (voided.at_us, NOON_US + 7), (voided.by, "ann"),
               (voided.reason, "the wrong branch"));
    EXPECT(run_list_load(db, &(struct run_filter){.limit = 5}, &list, NULL));
    EXPECT_STR(list.runs[0].voided.reason, "the wrong branch");
}

TEST_WITH_DATABASE(it_is_in_no_standing_until_it_counts_again)
{
    AUTO(standings_free) struct standings standings = {0};
    const struct taken_back because = taken(NOON_US + 7, "", "busy machine");
    long long first = ENDED(db, 100, .low = 99, .high = 101, .software = "made 1");
    long long second = ENDED(db, 200, .low = 199, .high = 201, .software = "made 1");

    update(db, &standings);
    EXPECT_INT(standings.list[0].standing.runs, 2);
    EXPECT(put(db, second, &because));
    update(db, &standings);
    EXPECT_HAS(standings.list[0].standing, (runs, 1), (invalid, 0));
    EXPECT_NEAR(standings.list[0].standing.value, 100, 1e-9);
    EXPECT_STR(standings.list[0].newest.run, id_of(db, first).text);
    EXPECT(put(db, first, &because));
    update(db, &standings);
    EXPECT_HAS(standings.list[0], (standing.level, STANDING_NONE), (newest.run, ""),
               (version, ""), (older_count, 0));
    EXPECT(lift(db, second, &because));
    EXPECT(!lift(db, second, &because));
    update(db, &standings);
    EXPECT_NEAR(standings.list[0].standing.value, 200, 1e-9);
    EXPECT_STR(standings.list[0].version, "made 1");
    EXPECT_INT((long long)standings.count, 1); /* the contender that it had */
}

TEST_WITH_DATABASE(a_comparison_that_is_asked_for_later_is_a_new_one)
{
    const struct taken_back because = taken(NOON_US + 7, "", "busy machine");
    long long number = ENDED(db, 100, .low = 99, .high = 101), before, prices, after;

    before = revision_of(db);
    EXPECT(revision_read_prices(db, &prices, NULL));
    EXPECT(put(db, number, &because));
    after = revision_of(db);
    EXPECT(after > before);
    EXPECT(lift(db, number, &because));
    EXPECT(revision_of(db) > after);
    after = revision_of(db);
    EXPECT(!lift(db, number, &because)); /* what changes nothing makes no new answer */
    EXPECT_INT(revision_of(db), after);
    EXPECT_INT(prices, number_of(db, "SELECT prices FROM revision")); /* prices stay loaded */
}

TEST_WITH_DATABASE(it_is_on_neither_side_of_a_gate)
{
    AUTO(gate_subject_clear) struct gate_subject subject = {0}, none = {0};
    const struct taken_back because = taken(NOON_US + 7, "", "busy machine");
    struct gate_run runs[GATE_RUNS_MAX];
    size_t count = 9;

    ENDED(db, 100, .low = 99, .high = 101);
    long long voided = ENDED(db, 110, .low = 109, .high = 111);
    long long candidate = ENDED(db, 105, .low = 104, .high = 106);
    EXPECT(put(db, voided, &because));
    EXPECT(gate_subject_find(db, candidate, &subject, NULL));
    EXPECT(gate_runs_others(db, &(struct gate_others){.subject = &subject, .limit = 50}, runs,
                            &count, NULL));
    EXPECT_INT((long long)count, 1);
    EXPECT_NEAR(runs[0].throughput.value, 100, 0);
    EXPECT_ERROR(gate_subject_find(db, voided, &none, &err), ERROR_CONFLICT);
}

TEST_WITH_DATABASE(only_a_run_that_has_ended_can_be_voided)
{
    const struct taken_back because = taken(NOON_US + 7, "", "busy machine");
    AUTO(run_clear) struct run queued = queue_run(db), none = {0};
    bool changed;

    EXPECT_ERROR_MESSAGE(voids_put(db, queued.id.text, &because, &none, &changed, &err),
                         ERROR_CONFLICT,
                         "the run is queued: only a run that has ended can be voided");
    claim_one(db);
    EXPECT_ERROR(voids_put(db, queued.id.text, &because, &none, &changed, &err), ERROR_CONFLICT);
    EXPECT_ERROR(voids_put(db, "01ARZ3NDEKTSV4RRFFQ69G5FAV", &because, &none, &changed, &err),
                 ERROR_NOT_FOUND);
    EXPECT_ROWS(db, 0, "voids");
}

TEST_WITH_DATABASE(a_failed_run_can_be_voided_and_still_counts_nowhere)
{
    const struct taken_back because = taken(NOON_US + 7, "", "a typo");
    long long number = ENDED(db, 100, .failed = true);

    EXPECT_INT(number_of(db, "SELECT count(contender) FROM runs"), 0);
    EXPECT(put(db, number, &because));
    EXPECT(lift(db, number, &because));
    EXPECT_INT(number_of(db, "SELECT count(contender) FROM runs"), 0);
}

struct rows {
    size_t count;
    struct void_row list[4];
};

static void keep(void *user, const struct void_row *row)
{
    struct rows *rows = user;

    if (rows->count < COUNT(rows->list))
        rows->list[rows->count++] = *row;
}

TEST_WITH_DATABASE(every_void_leaves_a_trace)
{
    const struct taken_back first = taken(NOON_US + 7, "ann", "one"),
                            lifted = taken(NOON_US + 8, "bob", ""),
                            second = taken(NOON_US + 3, "cid", "two"); /* the clock went back */
    long long number = ENDED(db, 100, .low = 99, .high = 101);
    struct rows rows = {0};

    EXPECT(put(db, number, &first));
    EXPECT(lift(db, number, &lifted));
    EXPECT(put(db, number, &second));
    EXPECT(voids_each(db, id_of(db, number).text, keep, &rows, NULL));
    EXPECT_HAS(rows, (count, 2), (list[0].voided.by, "ann"), (list[0].lifted.by, "bob"),
               (list[0].lifted.reason, ""), (list[0].lifted.at_us, NOON_US + 8),
               (list[1].voided.reason, "two"), (list[1].voided.at_us, NOON_US + 8),
               (list[1].lifted.at_us, 0));
}
