#include "db/runs/sweep_runs.h"
#include "db/runs/sweeps.h"

#include "db/runs/voids.h"
#include "engine/run/pace.h"
#include "tests/db/database.h"
#include "tests/engine/four_cores.h"

#define REQUEST "{\"knobs\":{\"batch_size\":[8,16],\"isa\":[\"avx2\",\"amx\"]},\"blocks\":2}"

static struct sweep read_sweep(const char *text)
{
    struct sweep sweep = {0};

    EXPECT_OK(sweep_from_text(text, strlen(text), &four_cores, &sweep, &err));
    return sweep;
}

static struct sweep_order order_for(const struct sweep *sweep, const char *key)
{
    return (struct sweep_order){.sweep = sweep,
                                .blocks = sweep->blocks,
                                .request = REQUEST,
                                .idempotency_key = key,
                                .instance = "c7i.large",
                                .now_us = NOON_US,
                                .queue_limit = 100};
}

static struct run_id create(struct db *db, const struct sweep_order *order)
{
    struct run_id id = {""};
    bool replayed = true;

    EXPECT_OK(sweeps_create(db, order, &id, &replayed, &err));
    EXPECT(!replayed);
    return id;
}

/* The runs of a sweep, which are so many; the caller frees them. */
static struct sweep_row_run *runs_of(struct db *db, const struct sweep_row *row, size_t wanted)
{
    struct sweep_row_run *runs = NULL;
    size_t count = 0;

    EXPECT(sweeps_runs(db, row->number, &runs, &count, NULL));
    EXPECT_INT((long long)count, (long long)wanted);
    return runs;
}

static size_t count_runs(struct db *db, long long number, enum run_state state)
{
    AUTO(freep) struct sweep_row_run *runs = NULL;
    size_t count = 0, found = 0;

    EXPECT(sweeps_runs(db, number, &runs, &count, NULL));
    for (size_t i = 0; i < count; i++)
        found += runs[i].run.state == state;
    return found;
}

static void end_in(struct run *run, enum validity validity, int seconds)
{
    run->state = RUN_FINISHED;
    run->ended_us = NOON_US + seconds * 1000000LL;
    run->ended_by = pace_verdict_name(PACE_TARGET);
    run->summary = (struct summary){.measured_steps = 2,
                                    .measured_seconds = 1,
                                    .samples_per_second = 40,
                                    .median_step_seconds = 1,
                                    .throughput = {true, 39, 41}};
    run->validity = validity;
}

static void end_as(struct db *db, enum run_state state, enum validity validity, int seconds)
{
    AUTO(run_clear) struct run run = claim_run(db);

    end_in(&run, validity, seconds);
    run.state = state;
    EXPECT(runs_end(db, &run, NULL));
}

static void end(struct db *db, enum run_state state)
{
    end_as(db, state, VALIDITY_OK, 1);
}

/* Stores a sweep and finds it. */
static void place_sweep(struct db *db, const char *request, struct sweep_row *ret_row)
{
    AUTO(sweep_clear) struct sweep sweep = read_sweep(request);
    struct sweep_order order = order_for(&sweep, NULL);
    struct run_id id = create(db, &order);

    EXPECT(sweeps_find(db, id.text, ret_row, NULL));
}

TEST_WITH_DATABASE(a_sweep_is_stored_whole_with_the_runs_that_can_be)
{
    AUTO(sweep_row_clear) struct sweep_row row = {0};

    place_sweep(db, REQUEST, &row);
    EXPECT_HAS(row, (state, SWEEP_RUNNING), (request, REQUEST), (rounds, 1), (count, 4),
               (cells[0].name, "batch_size=8 isa=avx2"));
    EXPECT(row.cells[0].refused == NULL);
    EXPECT_PART(row.cells[1].refused, "isa: 'amx'");
    AUTO(freep) struct sweep_row_run *runs = runs_of(db, &row, 4); /* two cells of four, twice */
    EXPECT_INT((long long)(runs[0].run.cell + runs[1].run.cell), 2);
    EXPECT_INT(runs[0].run.block, 0);
    EXPECT_INT((long long)runs[2].run.cell, (long long)runs[1].run.cell); /* and back again */
    AUTO(run_clear) struct run run = find_run(db, runs[3].id.text);
    EXPECT_HAS(run, (sweep.text, row.id.text), (block, 1), (instance, "c7i.large"));
}

/* Two steps of half a second: a tenth of their time waiting, 0.8 of it computing. */
TEST_WITH_DATABASE(a_run_of_a_sweep_says_where_its_time_went)
{
    static const char *const summaries[] = {
        NULL, "{\"split\":null}", "not JSON",
        "{\"split\":{\"input_seconds\":0.05,\"forward_seconds\":0.1,\"backward_seconds\":0.2,"
        "\"update_seconds\":0.1,\"communication_seconds\":0}}"};
    AUTO(sweep_row_clear) struct sweep_row row = {0};

    place_sweep(db, REQUEST, &row);
    for (size_t i = 0; i < COUNT(summaries); i++) {
        AUTO(run_clear) struct run run = claim_run(db);

        end_in(&run, VALIDITY_OK, (int)i + 1);
        run.summary_text = summaries[i] ? strdup(summaries[i]) : NULL;
        EXPECT(runs_end(db, &run, NULL));
    }
    AUTO(freep) struct sweep_row_run *runs = runs_of(db, &row, 4);
    for (size_t i = 0; i < 3; i++)
        EXPECT(!runs[i].run.shares.known);
    EXPECT(runs[3].run.shares.known);
    EXPECT_ABOUT(runs[3].run.shares, 1e-12, (input, 0.1), (compute, 0.8));
    EXPECT_INT(runs[3].ended_us, NOON_US + 4 * 1000000LL);
}

TEST_WITH_DATABASE(without_room_for_all_there_is_none_for_any)
{
    AUTO(sweep_clear) struct sweep sweep = read_sweep(REQUEST);
    struct sweep_order order = order_for(&sweep, NULL);
    struct run_id id;
    bool replayed;

    order.queue_limit = 3;
    EXPECT_ERROR(sweeps_create(db, &order, &id, &replayed, &err), ERROR_FULL);
    EXPECT_ROWS(db, 0, "sweeps");
    EXPECT_ROWS(db, 0, "runs");
}

TEST_WITH_DATABASE(a_key_makes_one_sweep)
{
    AUTO(sweep_clear) struct sweep sweep = read_sweep(REQUEST);
    struct sweep_order order = order_for(&sweep, "key");
    struct run_id id = create(db, &order), again;
    bool replayed = false;

    EXPECT(sweeps_create(db, &order, &again, &replayed, NULL));
    EXPECT(replayed);
    EXPECT_STR(again.text, id.text);
    order.request = "{}";
    EXPECT_ERROR(sweeps_create(db, &order, &again, &replayed, &err), ERROR_MISMATCH);
}

#define ONE_RUN "{\"knobs\":{\"seed\":[1]},\"blocks\":1}"

TEST_WITH_DATABASE(interrupted_and_preempted_runs_are_queued_again_three_times_in_all)
{
    EACH(enum run_state, state, RUN_INTERRUPTED, RUN_PREEMPTED) {
        AUTO(sweep_row_clear) struct sweep_row row = {0};

        place_sweep(db, ONE_RUN, &row);
        for (int attempt = 1; attempt <= 4; attempt++) {
            EXPECT_INT((long long)count_runs(db, row.number, RUN_QUEUED), attempt <= 3);
            if (attempt <= 3)
                end(db, state);
            for (int asked = 0; asked < 2; asked++) /* asked twice, done once */
                EXPECT(sweeps_requeue(db, &row, "c7i.large", NOON_US, NULL));
        }
        EXPECT_INT((long long)count_runs(db, row.number, state), 3);
    }
}

TEST_WITH_DATABASE(failed_and_cancelled_runs_are_not_queued_again)
{
    EACH(enum run_state, state, RUN_FAILED, RUN_CANCELLED) {
        AUTO(sweep_row_clear) struct sweep_row row = {0};

        place_sweep(db, ONE_RUN, &row);
        end(db, state);
        EXPECT(sweeps_requeue(db, &row, "c7i.large", NOON_US, NULL));
        EXPECT_INT((long long)count_runs(db, row.number, RUN_QUEUED), 0);
    }
}

TEST_WITH_DATABASE(a_finished_run_is_not_done_again_and_its_number_is_there)
{
    AUTO(sweep_row_clear) struct sweep_row row = {0};

    place_sweep(db, ONE_RUN, &row);
    end(db, RUN_FINISHED);
    EXPECT(sweeps_requeue(db, &row, "", NOON_US, NULL));
    AUTO(freep) struct sweep_row_run *runs = runs_of(db, &row, 1);
    EXPECT_HAS(runs[0].run, (validity, VALIDITY_OK), (throughput.value, 40),
               (throughput.high, 41));
}

#define TWO_RUNS                                                                                 \
    "{\"knobs\":{\"seed\":[1]},\"blocks\":2,\"base\":{\"max_seconds\":100,\"min_seconds\":60}}"

/* Two runs of one cell. The first one ends invalid after so many seconds. */
static void place_disturbed(struct db *db, int seconds, struct sweep_row *ret_row)
{
    place_sweep(db, TWO_RUNS, ret_row);
    end_as(db, RUN_FINISHED, VALIDITY_INVALID, seconds);
}

static bool repeat(struct db *db, const struct sweep_row *row, long long seconds)
{
    bool queued = false;

    EXPECT(sweeps_repeat(db, row, (struct sweep_repeat){"c7i.large", NOON_US, seconds}, &queued,
                         NULL));
    return queued;
}

TEST_WITH_DATABASE(an_invalid_run_is_repeated_when_all_others_have_ended)
{
    AUTO(sweep_row_clear) struct sweep_row row = {0};

    place_disturbed(db, 30, &row);
    EXPECT(!repeat(db, &row, 500)); /* the other one is queued */
    end(db, RUN_FINISHED);
    EXPECT(repeat(db, &row, 500));
    EXPECT(!repeat(db, &row, 500)); /* it is queued now */
    end(db, RUN_FINISHED);
    EXPECT(!repeat(db, &row, 500)); /* and it was valid */
    AUTO(freep) struct sweep_row_run *runs = runs_of(db, &row, 3);
    EXPECT_INT(runs[0].run.validity, VALIDITY_INVALID); /* it stays as it is */
    EXPECT_INT(runs[0].seconds, 30);
    EXPECT_SAME(runs[2].run, runs[0].run, block, cell);
}

TEST_WITH_DATABASE(three_attempts_in_all_must_do)
{
    AUTO(sweep_row_clear) struct sweep_row row = {0};

    place_disturbed(db, 30, &row);
    end(db, RUN_FINISHED);
    for (int attempt = 2; attempt <= 3; attempt++) {
        EXPECT(repeat(db, &row, 500));
        end_as(db, RUN_FINISHED, VALIDITY_INVALID, 30);
    }
    EXPECT(!repeat(db, &row, 500));
    EXPECT_INT((long long)count_runs(db, row.number, RUN_FINISHED), 4);
}

TEST_WITH_DATABASE(a_repetition_must_fit_into_what_is_left)
{
    AUTO(sweep_row_clear) struct sweep_row row = {0};

    place_disturbed(db, 30, &row);
    end(db, RUN_FINISHED);
    EXPECT(!repeat(db, &row, -5));
    EXPECT(!repeat(db, &row, 0));
    EXPECT(!repeat(db, &row, 31)); /* it took thirty, and ending takes two */
    EXPECT(repeat(db, &row, 42));
    AUTO(freep) struct sweep_row_run *runs = runs_of(db, &row, 3);
    AUTO(run_clear) struct run again = find_run(db, runs[2].id.text);
    EXPECT_HAS(again.spec, (max_seconds, 40), (min_seconds, 20));
}

TEST_WITH_DATABASE(an_invalid_run_that_was_voided_is_not_repeated)
{
    AUTO(sweep_row_clear) struct sweep_row row = {0};
    AUTO(run_clear) struct run voided = {0};
    const struct taken_back because = {.at_us = NOON_US, .reason = "a typo"};
    bool changed;

    place_disturbed(db, 30, &row);
    end(db, RUN_FINISHED);
    AUTO(freep) struct sweep_row_run *before = runs_of(db, &row, 2);
    EXPECT(!before[0].run.is_void);
    EXPECT(voids_put(db, before[0].id.text, &because, &voided, &changed, NULL));
    AUTO(freep) struct sweep_row_run *after = runs_of(db, &row, 2);
    EXPECT(after[0].run.is_void && !after[1].run.is_void);
    EXPECT(!repeat(db, &row, 500));
}

TEST_WITH_DATABASE(failed_runs_and_runs_with_warnings_are_not_repeated)
{
    AUTO(sweep_row_clear) struct sweep_row row = {0};

    place_sweep(db, TWO_RUNS, &row);
    end(db, RUN_FAILED);
    end_as(db, RUN_FINISHED, VALIDITY_WARN, 30);
    EXPECT(!repeat(db, &row, 500));
}

TEST_WITH_DATABASE(another_round_adds_its_cells_and_runs)
{
    AUTO(sweep_clear) struct sweep sweep = read_sweep(ONE_RUN);
    struct sweep_order order = order_for(&sweep, NULL);
    struct run_id id = create(db, &order);
    AUTO(sweep_row_clear) struct sweep_row row = {0}, after = {0};
    AUTO(json_decrefp) json_t *change = json_pack("{s:i}", "seed", 2);

    EXPECT(sweeps_find(db, id.text, &row, NULL));
    EXPECT(sweep_add(&sweep, "another", change, &four_cores, NULL));
    order.first = 1;
    order.round = 1;
    order.blocks = 2;
    EXPECT(sweeps_add_round(db, &row, &order, NULL));
    EXPECT(sweeps_find(db, id.text, &after, NULL));
    EXPECT_HAS(after, (rounds, 2), (count, 2), (cells[1].round, 1));
    EXPECT_INT((long long)count_runs(db, row.number, RUN_QUEUED), 3);
}

TEST_WITH_DATABASE(an_end_is_one_end)
{
    AUTO(sweep_clear) struct sweep sweep = read_sweep(REQUEST);
    struct sweep_order order = order_for(&sweep, NULL);
    struct run_id one = create(db, &order), two = create(db, &order), next;
    bool found = false;

    EXPECT(sweeps_next_running(db, 0, &next, &found, NULL));
    EXPECT(found);
    EXPECT_STR(next.text, one.text);
    EXPECT(sweeps_end(db, one.text, SWEEP_CANCELLED, NOON_US + 5, NULL));
    EXPECT_ROWS(db, 4, "runs WHERE state = 'cancelled'");
    EXPECT_ROWS(db, 4, "runs WHERE state = 'queued'");
    EXPECT_ERROR(sweeps_end(db, one.text, SWEEP_FINISHED, NOON_US + 5, &err), ERROR_CONFLICT);
    EXPECT(sweeps_next_running(db, 0, &next, &found, NULL));
    EXPECT_STR(next.text, two.text);
    EXPECT(sweeps_end(db, two.text, SWEEP_FINISHED, NOON_US + 5, NULL));
    EXPECT(sweeps_next_running(db, 0, &next, &found, NULL));
    EXPECT(!found);
    AUTO(sweep_row_clear) struct sweep_row none = {0};
    EXPECT_ERROR(sweeps_find(db, "unknown", &none, &err), ERROR_NOT_FOUND);
}

static long long batch_for(struct db *db, const struct run *run)
{
    long long batch = -1;

    EXPECT(runs_batch_of_cell(db, run, &batch, NULL));
    return batch;
}

/* Until one of them is invalid because it counted too few steps. */
TEST_WITH_DATABASE(runs_of_a_cell_have_the_batch_that_was_chosen_first)
{
    AUTO(sweep_clear)
    struct sweep sweep = read_sweep("{\"base\":{\"batch_size\":\"auto\"},\"blocks\":3,"
                                    "\"knobs\":{\"seed\":[1]}}");
    struct sweep_order order = order_for(&sweep, NULL);

    create(db, &order);
    for (int i = 0; i < 3; i++) {
        AUTO(run_clear) struct run run = claim_run(db);

        EXPECT_INT(batch_for(db, &run), i == 0 ? 0 : i == 1 ? 32 : 16);
        run.spec.batch_size = i == 2 ? 16 : 32;
        EXPECT(runs_settle_spec(db, &run, NULL));
        end_in(&run, i == 1 ? VALIDITY_INVALID : VALIDITY_OK, 1);
        EXPECT(runs_end(db, &run, NULL));
    }
}
