#include "server/http/json/present_sweep.h"

#include "server/http/json/present_sweep_csv.h"
#include "tests/common/rows/written.h"

#include <math.h>

#define SECOND_US 1000000LL

static char request[] = "{\"preset\":\"threads\"}";
static char names[][20] = {"threads=1", "threads=4", "odd, \"name\""};
static char reason[] = "needs 4 cores, got 2";

/* A sweep of three cells: a first one, a faster one that ties with none, and one that this
 * machine refused. Its two finished runs are of the first two cells, and a third run is queued.
 */
struct scene {
    struct sweep_row_cell rows[3];
    struct sweep_row row;
    struct sweep_row_run runs[3];
    struct cell_result cells[3];
    struct sweep_result result;
    struct rank_intervals intervals;
    struct sweep_view view;
};

static void fill_runs(struct scene *scene)
{
    scene->runs[0] = (struct sweep_row_run){.id = {"01ARZ3NDEKTSV4RRFFQ69G5FA0"},
                                            .run = {.cell = 0,
                                                    .state = RUN_FINISHED,
                                                    .validity = VALIDITY_OK,
                                                    .throughput = {.value = 100}},
                                            .dollars_per_hour = 0.9};
    scene->runs[1] = (struct sweep_row_run){.id = {"01ARZ3NDEKTSV4RRFFQ69G5FA1"},
                                            .run = {.cell = 1,
                                                    .block = 1,
                                                    .state = RUN_FINISHED,
                                                    .validity = VALIDITY_INVALID,
                                                    .throughput = {.value = 300}},
                                            .dollars_per_hour = 0.36};
    scene->runs[2] = (struct sweep_row_run){.id = {"01ARZ3NDEKTSV4RRFFQ69G5FA2"},
                                            .run = {.cell = 1, .state = RUN_QUEUED}};
}

/* The first cell is slower by `gap`, as a logarithm. */
static void rank(struct scene *scene, double gap)
{
    const struct rank_row rows[] = {{0, 0.01, INFINITY, 0, 0}, {gap, 0.01, INFINITY, 0, 0}};

    rank_intervals_clear(&scene->intervals);
    rank_intervals_compute(rows, COUNT(rows), 0.03, &scene->intervals);
    for (size_t i = 0; i < COUNT(rows); i++) {
        scene->cells[i].rank = scene->intervals.rows[i];
        scene->cells[i].rank_row = i;
    }
}

static void make(struct scene *scene)
{
    for (size_t i = 0; i < COUNT(scene->rows); i++)
        scene->rows[i] = (struct sweep_row_cell){.name = names[i], .spec = run_spec_default()};
    scene->rows[2].refused = reason;
    scene->row = (struct sweep_row){.id = {"01ARZ3NDEKTSV4RRFFQ69G5FAZ"},
                                    .state = SWEEP_RUNNING,
                                    .request = request,
                                    .created_us = SECOND_US,
                                    .rounds = 1,
                                    .cells = scene->rows,
                                    .count = COUNT(scene->rows)};
    fill_runs(scene);
    scene->cells[0] = (struct cell_result){.runs = 1, .valid = 1, .throughput = {100, 99, 101}};
    scene->cells[1] = (struct cell_result){.runs = 2,
                                           .valid = 1,
                                           .invalid = 1,
                                           .throughput = {300, 290, 310},
                                           .over_runs = true,
                                           .shares = {true, 0, 0.98},
                                           .to_first = {true, 3, 2.8, 3.2}};
    scene->result = (struct sweep_result){.cells = scene->cells,
                                          .count = 3,
                                          .best = 1,
                                          .intervals = &scene->intervals,
                                          .group_count = 1};
    rank(scene, 0.1);
    scene->view = (struct sweep_view){.row = &scene->row,
                                      .preset = SWEEP_THREADS,
                                      .runs = scene->runs,
                                      .run_count = COUNT(scene->runs),
                                      .result = &scene->result,
                                      .now_us = 21 * SECOND_US};
}

#define TEST_WITH_SWEEP(name) TEST_GIVEN(name, struct scene *scene, with_sweep)

static void with_sweep(void (*test)(struct scene *scene))
{
    struct scene scene = {0};

    make(&scene);
    test(&scene);
    rank_intervals_clear(&scene.intervals);
}

static json_t *presented(const struct scene *scene)
{
    return read_back(&sweep_members, &scene->view);
}

static double number_at(const json_t *json, const char *object, const char *key)
{
    const json_t *value = json_object_get(object ? json_object_get(json, object) : json, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text_at(const json_t *json, const char *object, const char *key)
{
    const char *text =
        json_string_value(json_object_get(object ? json_object_get(json, object) : json, key));

    return text ? text : "";
}

static const json_t *cell_of(const json_t *json, size_t index)
{
    return json_array_get(json_object_get(json, "cells"), index);
}

TEST_WITH_SWEEP(progress_counts_runs_and_extrapolates_the_time_left)
{
    AUTO(json_decrefp) json_t *json = presented(scene);

    EXPECT_NEAR(number_at(json, "progress", "runs_total"), 3, 0);
    EXPECT_NEAR(number_at(json, "progress", "runs_done"), 2, 0);
    EXPECT_NEAR(number_at(json, "progress", "runs_running"), 0, 0);
    EXPECT_NEAR(number_at(json, "progress", "elapsed_seconds"), 20, 1e-9);
    EXPECT_NEAR(number_at(json, "progress", "seconds_left"), 10, 1e-9);
}

TEST_WITH_SWEEP(the_time_left_is_unknown_before_a_run_is_done_and_0_after_the_end)
{
    scene->runs[0].run.state = RUN_RUNNING;
    scene->runs[1].run.state = RUN_QUEUED;
    AUTO(json_decrefp) json_t *first = presented(scene);
    EXPECT_NEAR(number_at(first, "progress", "runs_running"), 1, 0);
    EXPECT(isnan(number_at(first, "progress", "seconds_left")));

    scene->row.state = SWEEP_CANCELLED;
    scene->row.ended_us = 6 * SECOND_US;
    AUTO(json_decrefp) json_t *last = presented(scene);
    EXPECT_NEAR(number_at(last, "progress", "elapsed_seconds"), 5, 1e-9);
    EXPECT_NEAR(number_at(last, "progress", "seconds_left"), 0, 0);
}

TEST_WITH_SWEEP(all_cells_get_the_price_of_the_latest_run_that_has_one)
{
    AUTO(json_decrefp) json_t *json = presented(scene);

    EXPECT_NEAR(number_at(json, NULL, "price_per_hour"), 0.36, 1e-12);
    EXPECT_NEAR(number_at(cell_of(json, 0), "samples_per_dollar", "value"), 1e6, 1e-3);
    EXPECT_NEAR(number_at(cell_of(json, 1), "samples_per_dollar", "value"), 3e6, 1e-3);
    EXPECT(json_is_null(json_object_get(cell_of(json, 2), "samples_per_dollar")));

    scene->runs[0].dollars_per_hour = scene->runs[1].dollars_per_hour = 0;
    AUTO(json_decrefp) json_t *unpriced = presented(scene);
    EXPECT(json_is_null(json_object_get(unpriced, "price_per_hour")));
    EXPECT(json_is_null(json_object_get(cell_of(unpriced, 0), "dollars_per_million_samples")));
}

TEST_WITH_SWEEP(a_cell_has_its_own_runs_and_what_its_interval_is_over)
{
    AUTO(json_decrefp) json_t *json = presented(scene);
    const json_t *runs = json_object_get(cell_of(json, 1), "runs");

    EXPECT_INT((long long)json_array_size(json_object_get(cell_of(json, 0), "runs")), 1);
    EXPECT_INT((long long)json_array_size(runs), 2);
    EXPECT_STR(text_at(json_array_get(runs, 0), NULL, "validity"), "invalid");
    EXPECT_NEAR(number_at(json_array_get(runs, 0), NULL, "position"), 1, 0);
    EXPECT(json_is_null(json_object_get(json_array_get(runs, 1), "validity")));
    EXPECT(json_is_null(json_object_get(json_array_get(runs, 1), "samples_per_second")));
    EXPECT_STR(text_at(cell_of(json, 0), "interval", "over"), "steps of one run");
    EXPECT_STR(text_at(cell_of(json, 1), "interval", "over"), "runs");
    EXPECT(json_is_null(json_object_get(cell_of(json, 2), "interval")));
    EXPECT(json_is_null(json_object_get(cell_of(json, 2), "rank")));
    EXPECT(json_is_null(json_object_get(cell_of(json, 2), "cannot_be_told_apart_from")));
    EXPECT_NEAR(number_at(cell_of(json, 0), "rank", "low"), 2, 0);
    EXPECT(json_is_false(json_object_get(cell_of(json, 0), "may_be_best")));
    EXPECT_STR(text_at(cell_of(json, 2), NULL, "refused"), reason);
}

TEST_WITH_SWEEP(each_cell_names_those_that_it_cannot_be_told_apart_from)
{
    rank(scene, 0.02);
    AUTO(json_decrefp) json_t *json = presented(scene);
    const json_t *tied =
        json_object_get(json_object_get(json, "best"), "cannot_be_told_apart_from");
    EXPECT_STR(text_at(json, "best", "name"), "threads=4");
    EXPECT_INT((long long)json_array_size(tied), 1);
    EXPECT_STR(json_string_value(json_array_get(tied, 0)), "threads=1");
    EXPECT(json_is_true(json_object_get(cell_of(json, 0), "may_be_best")));
    EXPECT_NEAR(number_at(cell_of(json, 0), "rank", "low"), 1, 0);
    EXPECT_NEAR(number_at(cell_of(json, 0), "rank", "high"), 2, 0);
    tied = json_object_get(cell_of(json, 0), "cannot_be_told_apart_from");
    EXPECT_STR(json_string_value(json_array_get(tied, 0)), "threads=4");

    scene->result.best = scene->result.count;
    AUTO(json_decrefp) json_t *none = presented(scene);
    EXPECT(json_is_null(json_object_get(none, "best")));
}

TEST_WITH_SWEEP(a_cell_says_where_its_time_went_if_its_engine_did)
{
    AUTO(json_decrefp) json_t *json = presented(scene);

    EXPECT(json_is_null(json_object_get(cell_of(json, 0), "time_shares")));
    EXPECT_NEAR(number_at(cell_of(json, 1), "time_shares", "input"), 0, 0);
    EXPECT_NEAR(number_at(cell_of(json, 1), "time_shares", "compute"), 0.98, 1e-12);
}

TEST_WITH_SWEEP(only_a_sweep_of_threads_has_an_efficiency)
{
    AUTO(json_decrefp) json_t *threads = presented(scene);

    EXPECT_NEAR(number_at(cell_of(threads, 1), "efficiency", "value"), 0.75, 1e-12);
    EXPECT_NEAR(number_at(cell_of(threads, 1), "efficiency", "low"), 0.7, 1e-12);
    EXPECT_STR(text_at(cell_of(threads, 1), "ratio_to_first", "verdict"), "better");
    EXPECT(json_is_null(json_object_get(cell_of(threads, 0), "efficiency")));

    scene->view.preset = SWEEP_BATCH;
    AUTO(json_decrefp) json_t *batch = presented(scene);
    EXPECT(json_is_null(json_object_get(cell_of(batch, 1), "efficiency")));
}

TEST_WITH_SWEEP(only_an_aa_with_a_pair_has_false_alarms)
{
    scene->view.preset = SWEEP_AA;
    AUTO(json_decrefp) json_t *none = presented(scene);
    EXPECT(json_is_null(json_object_get(none, "false_alarms")));
    scene->view.alarms = (struct false_alarms){.pairs = 8, .alarms = 2, .low = 0.1, .high = 0.6};
    AUTO(json_decrefp) json_t *json = presented(scene);
    EXPECT_NEAR(number_at(json, "false_alarms", "rate"), 0.25, 1e-12);
    EXPECT_NEAR(number_at(json, "false_alarms", "high"), 0.6, 1e-12);
    scene->view.preset = SWEEP_LADDER;
    AUTO(json_decrefp) json_t *other = presented(scene);
    EXPECT(json_is_null(json_object_get(other, "false_alarms")));
    EXPECT_INT((long long)json_array_size(json_object_get(other, "notes")), 2);
    EXPECT_STR(json_string_value(json_array_get(json_object_get(json, "notes"), 0)),
               "Of 3 runs, 0 failed and 1 counted as invalid; each of them says why. A cell "
               "without a valid run has no number.");
}

TEST_WITH_SWEEP(csv_quotes_names_and_leaves_unknown_values_empty)
{
    AUTO(bytes_free) struct bytes text = {.limit = 10000}, little = {.limit = 400};

    EXPECT(present_sweep_csv(&text, &scene->view));
    const char *line = strstr(text.data, "\r\n");
    EXPECT_STR(
        line ? line + 2 : "",
        "0,\"threads=1\",0,2,2,false,1,0,0,100,99,101,,,,,,,,,,,1,0.9900990099,1.01010101,0.36,"
        "1000000,990000,1010000,,,0,,,,\r\n"
        "1,\"threads=4\",0,1,1,true,1,1,0,300,290,310,3,2.8,3.2,,,,,,,,0.3333333333,0.3225806452,"
        "0.3448275862,0.36,3000000,2900000,3100000,0,0.98,0,,,,\r\n"
        "2,\"odd, \"\"name\"\"\",0,,,false,0,0,0,,,,,,,,,,,,,\"needs 4 cores, got "
        "2\",,,,,,,,,,0,,,,\r\n");
    EXPECT(!present_sweep_csv(&little, &scene->view));
}
