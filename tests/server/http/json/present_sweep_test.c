#include "server/http/json/present_sweep.h"

#include "server/http/json/present_sweep_csv.h"
#include "tests/common/rows/written.h"

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

#define EXPECT_SWEEP(text) EXPECT_MEMBERS(&sweep_members, &scene->view, text)

TEST_WITH_SWEEP(progress_counts_runs_and_extrapolates_the_time_left)
{
    EXPECT_SWEEP("{'progress':{'runs_total':3,'runs_done':2,'runs_running':0,"
                 "'elapsed_seconds':20,'seconds_left':10}}");
}

TEST_WITH_SWEEP(the_time_left_is_unknown_before_a_run_is_done_and_0_after_the_end)
{
    scene->runs[0].run.state = RUN_RUNNING;
    scene->runs[1].run.state = RUN_QUEUED;
    EXPECT_SWEEP("{'progress':{'runs_running':1,'seconds_left':null}}");
    scene->row.state = SWEEP_CANCELLED;
    scene->row.ended_us = 6 * SECOND_US;
    EXPECT_SWEEP("{'progress':{'elapsed_seconds':5,'seconds_left':0}}");
}

TEST_WITH_SWEEP(all_cells_get_the_price_of_the_latest_run_that_has_one)
{
    EXPECT_SWEEP("{'price_per_hour':0.36,'cells':[{'samples_per_dollar':{'value':1000000}},"
                 "{'samples_per_dollar':{'value':3000000}},{'samples_per_dollar':null}]}");
    scene->runs[0].dollars_per_hour = scene->runs[1].dollars_per_hour = 0;
    EXPECT_SWEEP("{'price_per_hour':null,'cells':[{'dollars_per_million_samples':null},{},{}]}");
}

TEST_WITH_SWEEP(a_cell_has_its_own_runs_and_what_its_interval_is_over)
{
    EXPECT_SWEEP("{'cells':[{'runs':[{}],'interval':{'over':'steps of one run'},"
                 "'rank':{'low':2},'may_be_best':false},"
                 "{'runs':[{'validity':'invalid','position':1},"
                 "{'validity':null,'samples_per_second':null}],'interval':{'over':'runs'}},"
                 "{'interval':null,'rank':null,'cannot_be_told_apart_from':null,"
                 "'refused':'needs 4 cores, got 2'}]}");
}

TEST_WITH_SWEEP(each_cell_names_those_that_it_cannot_be_told_apart_from)
{
    rank(scene, 0.02);
    EXPECT_SWEEP("{'best':{'name':'threads=4','cannot_be_told_apart_from':['threads=1']},"
                 "'cells':[{'may_be_best':true,'rank':{'low':1,'high':2},"
                 "'cannot_be_told_apart_from':['threads=4']},{},{}]}");
    scene->result.best = scene->result.count;
    EXPECT_SWEEP("{'best':null}");
}

TEST_WITH_SWEEP(a_cell_says_where_its_time_went_if_its_engine_did)
{
    EXPECT_SWEEP(
        "{'cells':[{'time_shares':null},{'time_shares':{'input':0,'compute':0.98}},{}]}");
}

TEST_WITH_SWEEP(only_a_sweep_of_threads_has_an_efficiency)
{
    EXPECT_SWEEP("{'cells':[{'efficiency':null},{'efficiency':{'value':0.75,'low':0.7},"
                 "'ratio_to_first':{'verdict':'better'}},{}]}");
    scene->view.preset = SWEEP_BATCH;
    EXPECT_SWEEP("{'cells':[{},{'efficiency':null},{}]}");
}

TEST_WITH_SWEEP(only_an_aa_with_a_pair_has_false_alarms)
{
    scene->view.preset = SWEEP_AA;
    EXPECT_SWEEP("{'false_alarms':null}");
    scene->view.alarms = (struct false_alarms){.pairs = 8, .alarms = 2, .low = 0.1, .high = 0.6};
    EXPECT_SWEEP("{'false_alarms':{'rate':0.25,'high':0.6},'notes':['Of 3 runs, 0 failed and 1 "
                 "counted as invalid; each of them says why. A cell without a valid run has no "
                 "number.']}");
    scene->view.preset = SWEEP_LADDER;
    EXPECT_SWEEP("{'false_alarms':null,'notes':[{},{}]}");
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
