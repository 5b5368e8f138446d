#include "server/cli/bench_report.h"

#include "common/clock.h"
#include "db/runs/voids.h"
#include "server/cli/commands.h"
#include "tests/db/database.h"
#include "tests/db/finished.h"
#include "tests/server/runs/queued_sweep.h"

/* A sweep of two cells in two blocks: runs 1 to 4, all queued. Its id. */
static struct run_id sweep_of(struct db *db)
{
    return queued_sweep_on(db, 2,
                           "{\"blocks\":2,\"base\":{},"
                           "\"cells\":[{\"precision\":\"f32\"},{\"precision\":\"bf16\"}]}");
}

/* What becomes of the next run of the queue. */
static void end_next(struct db *db, enum run_state state, double value, enum validity validity)
{
    AUTO(run_clear) struct run run = claim_run(db);

    run.state = state;
    run.ended_us = NOON_US + run.number;
    run.ended_by = "target";
    run.validity = state == RUN_FINISHED ? validity : VALIDITY_UNKNOWN;
    if (state == RUN_FINISHED)
        run.summary = (struct summary){
            .measured_steps = 30,
            .measured_seconds = 1,
            .samples_per_second = value,
            .median_step_seconds = 0.1,
            .throughput = {.known = true, .low = value * 0.99, .high = value * 1.01}};
    EXPECT_OK(runs_end(db, &run, &err));
}

/* So many runs that finish with 100 samples per second. */
static void finish(struct db *db, int runs)
{
    for (int i = 0; i < runs; i++)
        end_next(db, RUN_FINISHED, 100, VALIDITY_OK);
}

static struct bench_report report_of(void)
{
    return (struct bench_report){.set = "standard",
                                 .facts = "{}",
                                 .price = {.known = true, .factor = 1, .dollars = 0.36},
                                 .at_us = NOON_US,
                                 .blocks = 2};
}

static void load(struct db *db, const struct run_id *id, struct bench_report *report)
{
    EXPECT_OK(bench_report_load(db, id->text, report, &err));
}

#define TEST_WITH_SWEEP(name)                                                                    \
    static void name(struct db *db, struct run_id id, struct bench_report *report);              \
    TEST_FOUND(name, with_sweep(name))                                                           \
    static void name(struct db *db, struct run_id id, struct bench_report *report)

static void with_sweep(void (*test)(struct db *db, struct run_id id, struct bench_report *report))
{
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *db = open_database(&folder);
    AUTO(bench_report_clear) struct bench_report report = report_of();

    test(db, sweep_of(db), &report);
}

TEST_WITH_SWEEP(runs_of_a_configuration_are_summed_up_with_their_cost)
{
    finish(db, 4);
    load(db, &id, report);
    EXPECT_HAS(*report, (run_count, 4), (cell_count, 2));
    REQUIRE(report->cell_count == 2);
    EXPECT_HAS(report->cells[0], (name, "precision=f32"), (finished, 2),
               (standing.level, STANDING_RUNS));
    EXPECT_NEAR(report->cells[0].standing.value, 100, 1e-9);
    EXPECT(report->cells[0].has_cost);
    EXPECT_NEAR(report->cells[0].cost.samples_per_dollar.value, 1e6, 1e-3);
    EXPECT_NEAR(report->cells[0].cost.dollars_per_million.value, 1, 1e-9);
    EXPECT(report->cells[0].cost.dollars_per_million.has_interval);
    EXPECT_INT(bench_report_status(report), 0);
}

TEST_WITH_SWEEP(without_a_price_in_dollars_there_is_no_cost)
{
    finish(db, 4);
    report->price.dollars = 0;
    load(db, &id, report);
    EXPECT(report->cell_count == 2 && !report->cells[0].has_cost);
    EXPECT_INT(bench_report_status(report), 0);
}

TEST_WITH_SWEEP(an_invalid_run_does_not_count_and_is_listed)
{
    for (int i = 0; i < 3; i++)
        end_next(db, RUN_FINISHED, 100, VALIDITY_WARN);
    end_next(db, RUN_FINISHED, 300, VALIDITY_INVALID);
    load(db, &id, report);
    for (size_t i = 0; i < report->cell_count; i++)
        EXPECT_NEAR(report->cells[i].standing.value, 100, 1e-9);
    EXPECT_INT(bench_report_status(report), EXIT_PARTLY);
}

TEST_WITH_DATABASE(a_voided_run_does_not_count)
{
    AUTO(bench_report_clear) struct bench_report report = report_of();
    const struct taken_back because = {.at_us = NOON_US, .reason = "a busy machine"};
    AUTO(run_clear) struct run voided = {0};
    struct run_id id = sweep_of(db), last;
    bool changed;

    finish(db, 3);
    end_next(db, RUN_FINISHED, 300, VALIDITY_OK);
    text_of(db, "SELECT id FROM runs ORDER BY number DESC LIMIT 1", sizeof last.text, last.text);
    EXPECT(voids_put(db, last.text, &because, &voided, &changed, NULL));
    load(db, &id, &report);
    for (size_t i = 0; i < report.cell_count; i++)
        EXPECT_NEAR(report.cells[i].standing.value, 100, 1e-9);
    EXPECT_INT(report.cells[0].finished + report.cells[1].finished, 3);
}

TEST_WITH_DATABASE(a_run_that_failed_or_never_ran_is_missed)
{
    AUTO(bench_report_clear) struct bench_report report = report_of(), cancelled = report_of();
    struct run_id id = sweep_of(db);

    finish(db, 3);
    load(db, &id, &report);
    EXPECT_INT(bench_report_status(&report), EXIT_PARTLY); /* one is queued */
    EXPECT(sweeps_end(db, id.text, SWEEP_CANCELLED, NOON_US, NULL));
    load(db, &id, &cancelled);
    EXPECT_INT(bench_report_status(&cancelled), EXIT_PARTLY);
}

TEST_WITH_SWEEP(with_nothing_finished_there_is_no_number)
{
    for (int i = 0; i < 4; i++)
        end_next(db, RUN_FAILED, 0, VALIDITY_UNKNOWN);
    load(db, &id, report);
    EXPECT(report->cell_count == 2 && report->cells[1].standing.level == STANDING_NONE);
    EXPECT(report->cell_count == 2 && !report->cells[1].has_cost);
    EXPECT_INT(bench_report_status(report), EXIT_NOTHING);
    report->preempted = true;
    EXPECT_INT(bench_report_status(report), EXIT_PREEMPTED);
}

TEST_WITH_SWEEP(of_attempts_the_last_one_stands)
{
    AUTO(sweep_row_clear) struct sweep_row row = {0};

    end_next(db, RUN_INTERRUPTED, 0, VALIDITY_UNKNOWN);
    EXPECT(sweeps_find(db, id.text, &row, NULL));
    EXPECT(sweeps_requeue(db, &row, "m5.large", NOON_US, NULL));
    finish(db, 4);
    load(db, &id, report);
    EXPECT_INT((long long)report->run_count, 4);
    for (size_t i = 0; i < report->run_count; i++)
        EXPECT_INT(report->runs[i].run.state, RUN_FINISHED);
    EXPECT_INT(bench_report_status(report), 0);
}

/* Queues the invalid run again. */
static void repeat(struct db *db, const struct run_id *id)
{
    AUTO(sweep_row_clear) struct sweep_row row = {0};
    bool queued = false;

    EXPECT(sweeps_find(db, id->text, &row, NULL));
    EXPECT(sweeps_repeat(db, &row, (struct sweep_repeat){"", NOON_US, 100}, &queued, NULL));
    EXPECT(queued);
}

TEST_WITH_DATABASE(a_repeated_run_stays_and_the_one_that_repeats_it_counts)
{
    AUTO(bench_report_clear) struct bench_report before = report_of(), after = report_of();
    struct run_id id = sweep_of(db);

    end_next(db, RUN_FINISHED, 300, VALIDITY_INVALID);
    finish(db, 3);
    load(db, &id, &before);
    EXPECT_INT(bench_report_status(&before), EXIT_PARTLY);
    repeat(db, &id);
    end_next(db, RUN_FINISHED, 100, VALIDITY_OK);
    load(db, &id, &after);
    EXPECT_INT((long long)after.run_count, 5);
    EXPECT(after.runs[0].repeated && !after.runs[4].repeated);
    for (size_t i = 0; i < after.cell_count; i++) {
        EXPECT_HAS(after.cells[i], (finished, 2), (standing.runs, 2));
        EXPECT_NEAR(after.cells[i].standing.value, 100, 1e-9);
    }
    EXPECT_INT(bench_report_status(&after), 0);
}

TEST_WITH_SWEEP(a_repetition_that_is_invalid_too_leaves_it_missed)
{
    finish(db, 3);
    end_next(db, RUN_FINISHED, 300, VALIDITY_INVALID);
    repeat(db, &id);
    end_next(db, RUN_FINISHED, 300, VALIDITY_INVALID);
    load(db, &id, report);
    EXPECT_INT(bench_report_status(report), EXIT_PARTLY);
}

TEST_WITH_DATABASE(a_run_that_the_hub_has_not_accepted_is_reported)
{
    const struct hub_uploader_status hub = {.hub = "http://hub.test"};
    struct delivery list[4];
    struct run_id id = sweep_of(db);

    for (int i = 0; i < 4; i++) {
        end_next(db, RUN_FINISHED, 100, VALIDITY_OK);
        list[i] = (struct delivery){.run = i + 1, .verdict = DELIVERY_ACCEPTED};
    }
    for (size_t accepted = 0; accepted <= 4; accepted++) {
        AUTO(bench_report_clear) struct bench_report report = report_of();

        EXPECT(deliveries_record(db, hub.hub, list, accepted, NOON_US, NULL));
        report.hub = &hub;
        load(db, &id, &report);
        EXPECT_INT(report.counts.waiting, 4 - (long long)accepted);
        EXPECT_INT(bench_report_status(&report), accepted < 4 ? EXIT_NOT_DELIVERED : 0);
    }
}

TEST_WITH_SWEEP(a_refusal_is_not_delivery_even_when_nothing_waits)
{
    const struct hub_uploader_status hub = {.hub = "http://hub.test"};
    struct delivery list[4];

    for (int i = 0; i < 4; i++) {
        end_next(db, RUN_FINISHED, 100, i == 3 ? VALIDITY_INVALID : VALIDITY_OK);
        list[i] = (struct delivery){.run = i + 1,
                                    .verdict = i == 2 ? DELIVERY_REFUSED : DELIVERY_ACCEPTED,
                                    .reason = "r"};
    }
    EXPECT(deliveries_record(db, hub.hub, list, 4, NOON_US, NULL));
    report->hub = &hub;
    load(db, &id, report);
    EXPECT_INT(report->counts.waiting, 0);
    EXPECT_STR(report->run_count > 2 ? report->runs[2].delivery.reason : "", "r");
    /* An invalid run too: that it was not delivered weighs more. */
    EXPECT_INT(bench_report_status(report), EXIT_NOT_DELIVERED);
}

TEST_WITH_DATABASE(a_missing_sweep_is_an_error)
{
    AUTO(bench_report_clear) struct bench_report report = report_of();

    EXPECT_ERROR(bench_report_load(db, "01HF7YAT000000000000000000", &report, &err),
                 ERROR_NOT_FOUND);
}
