#include "db/runs/thinning.h"
#include "engine/document/run_document_write.h"

#include "db/runs/evidence_rows.h"
#include "db/runs/exports.h"
#include "db/runs/step_rows.h"
#include "tests/db/database.h"
#include "tests/db/imported.h"

static const struct run_filter everything = {.limit = -1};

TEST(the_ends_stay_and_an_even_part_between)
{
    static const long long counts[] = {0, 1, 40, 200, 201, 202, 359, 360, 361, 1000, 999983};

    for (size_t i = 0; i < COUNT(counts); i++) {
        long long count = counts[i], kept = 0, last = -1, gap = 0, widest = 0;

        for (long long position = 0; position < count; position++) {
            bool keeps = thinning_keeps(position, count);

            EXPECT(keeps || (position >= THINNING_EDGE && position < count - THINNING_EDGE));
            gap = position - last;
            kept += keeps;
            last = keeps ? position : last;
            widest = gap > widest ? gap : widest;
        }
        EXPECT(kept <= THINNING_KEPT);
        EXPECT(count > THINNING_KEPT || kept == count);
        EXPECT(count <= THINNING_KEPT || kept > THINNING_KEPT / 2);
        EXPECT(widest <= count / THINNING_MIDDLE + 1);
    }
}

/* A run that ended at this time after so many steps and as many observations; its number. */
static long long end_long_run(struct db *db, int count, long long ended_us)
{
    AUTO(run_clear) struct run run = {0};
    bool found = false;

    queue_runs(db, 1);
    EXPECT(runs_claim(db, ended_us - 1, 0, &run, &found, NULL) && found);
    for (int i = 0; i < count; i++) {
        struct step step = {.nanoseconds = 1000 + i, .loss = 0.5 + i, .split = {1, 2, 3, 4, 0}};
        struct observation seen = {.steps = i, .taken_ns = 7LL * i};
        struct canary_reading reading = {i, {1e9 + i, 2e9}};
        struct evidence evidence = {.observations = &seen,
                                    .observation_count = 1,
                                    .readings = &reading,
                                    .reading_count = i % 10 == 0};

        EXPECT(step_rows_append(db, run.number, i, &step, 1, NULL));
        EXPECT(evidence_rows_append(db, run.number, i, i / 10, &evidence, NULL));
    }
    run.state = RUN_FAILED;
    run.ended_us = ended_us;
    EXPECT(runs_end(db, &run, NULL));
    return run.number;
}

static struct thinning pass_until(struct db *db, long long before_us)
{
    struct thinning thinning = {.before_us = before_us, .now_us = NOON_US + 99};

    for (int i = 0; i < 100 && !thinning.done; i++)
        EXPECT_OK(thinning_step(db, &thinning, &err));
    EXPECT(thinning.done);
    return thinning;
}

TEST_WITH_DATABASE(old_runs_are_thinned_and_others_are_not)
{
    AUTO(steps_free) struct steps steps = {0};
    long long positions[1000];

    do_not_sync(db);
    EXPECT_INT(end_long_run(db, 700, NOON_US), 1);
    EXPECT_INT(end_long_run(db, 700, NOON_US + 50), 2);
    EXPECT_INT(end_long_run(db, 200, NOON_US), 3);
    struct thinning thinning = pass_until(db, NOON_US + 50);
    EXPECT_HAS(thinning, (runs, 1), (looks, 2));
    EXPECT_ROWS(db, 700 - thinning.steps, "steps WHERE run = 1");
    EXPECT_ROWS(db, 700, "steps WHERE run = 2");
    EXPECT_ROWS(db, 200, "steps WHERE run = 3");
    EXPECT_ROWS(db, 70, "canaries WHERE run = 1");
    EXPECT_ROWS(db, 700 - thinning.steps, "observations WHERE run = 1");
    EXPECT_ROWS(db, 1, "runs WHERE thinned_us NOT NULL");
    EXPECT_INT(number_of(db, "SELECT thinned_us FROM runs WHERE number = 1"), NOON_US + 99);
    EXPECT_INT(number_of(db, "SELECT steps FROM runs WHERE number = 1"), 700);
    EXPECT(step_rows_load_placed(db, 1, &(struct step_range){0, 1000}, &steps, positions, NULL));
    EXPECT_INT((long long)steps.count, 700 - thinning.steps);
    for (size_t i = 0; i < steps.count; i++) {
        EXPECT(thinning_keeps(positions[i], 700));
        EXPECT_INT(steps.items[i].nanoseconds, 1000 + positions[i]);
    }
    EXPECT_INT(positions[steps.count - 1], 699);
    thinning = pass_until(db, NOON_US + 50); /* and once only */
    EXPECT_INT(thinning.runs, 0);
}

TEST_WITH_DATABASE(a_run_that_was_altered_stays_whole)
{
    do_not_sync(db);
    for (int i = 0; i < 2; i++)
        (void)end_long_run(db, 300, NOON_US);
    execute(db, "UPDATE steps SET nanoseconds = 5000 WHERE run = 1 AND position = 9");
    EXPECT_INT(pass_until(db, NOON_US + 1).runs, 1);
    EXPECT_ROWS(db, 300, "steps WHERE run = 1");
    EXPECT_INT(checksum_of(db, 1), CHECKSUM_DIFFERS);
    EXPECT_INT(checksum_of(db, 2), CHECKSUM_HOLDS); /* of what is left */
}

TEST_WITH_DATABASE(many_runs_are_thinned_in_small_pieces)
{
    struct thinning thinning = {.before_us = NOON_US + 1, .now_us = NOON_US};

    do_not_sync(db);
    for (int i = 0; i < THINNING_RUNS + 3; i++)
        (void)end_long_run(db, 201, NOON_US); /* all of one moment */
    EXPECT(thinning_step(db, &thinning, NULL));
    EXPECT_INT(thinning.runs, THINNING_RUNS);
    EXPECT(!thinning.done);
    EXPECT(thinning_step(db, &thinning, NULL));
    EXPECT_INT(thinning.runs, THINNING_RUNS + 3);
    EXPECT(thinning.done);
}

static bool count_exported(void *user, const struct document_parts *parts)
{
    (void)parts;
    ++*(int *)user;
    return true;
}

TEST_WITH_DATABASE(the_text_of_a_trace_becomes_rows)
{
    AUTO(evidence_free) struct evidence evidence = {0};
    AUTO(steps_free) struct steps steps = {0};
    long long positions[1000], last;
    struct imported_parts parts;
    enum import_fate fate;
    int exported = 0;

    imported_make(&parts);
    AUTO(bytes_free) struct bytes text = imported_lengthen(&parts, 500);
    EXPECT(import_alone(db, &parts.imported, &fate, NULL));
    struct thinning thinning = pass_until(db, NOON_US);
    EXPECT_INT(thinning.runs, 1);
    EXPECT_ROWS(db, 0, "traces");
    EXPECT(step_rows_load_placed(db, 1, &(struct step_range){0, 1000}, &steps, positions, NULL));
    EXPECT_INT((long long)steps.count, 500 - thinning.steps);
    for (size_t i = 0; i < steps.count; i++)
        EXPECT_INT(steps.items[i].nanoseconds, positions[i] + 1);
    EXPECT(evidence_rows_load(db, 1, &evidence, NULL));
    EXPECT_HAS(evidence, (observation_count, 1), (reading_count, 1),
               (observations[0].swap_ins, 14));
    /* It stays here: another server would compute another number from it. */
    EXPECT(exports_each(db, &everything, &(struct export_reader){count_exported, &exported},
                        &last, NULL));
    EXPECT_INT(exported, 0);
    /* The whole one is known still, and another of its name is refused. */
    EXPECT_OK(import_alone(db, &parts.imported, &fate, &err));
    EXPECT_INT(fate, IMPORT_KNOWN);
    AUTO(bytes_free) struct bytes other = imported_lengthen(&parts, 400);
    EXPECT_ERROR(import_alone(db, &parts.imported, &fate, &err), ERROR_CONFLICT);
}
