#include "server/cli/bench_watch.h"

#include "common/clock.h"
#include "tests/db/database.h"
#include "tests/server/base/untimed.h"
#include "tests/server/runs/queued_sweep.h"

#define REQUEST "{\"knobs\":{\"batch_size\":[8]},\"blocks\":2}"

struct scene {
    struct folder folder;
    struct db *db;
    struct db_pool *pool;
    struct notifications *notifications;
    struct server server;
    struct bench_watch watch;
    FILE *out;
    char *text;
    size_t size;
};

static void begin(struct scene *scene)
{
    *scene = (struct scene){.folder = folder_make()};
    scene->db = open_database(&scene->folder);
    scene->pool = db_pool_open(scene->folder.file, 1, NULL);
    scene->notifications = untimed_notifications();
    scene->out = open_memstream(&scene->text, &scene->size);
    EXPECT(scene->pool && scene->notifications && scene->out);
    scene->server = (struct server){.pool = scene->pool, .notifications = scene->notifications};
    scene->watch = (struct bench_watch){.server = &scene->server,
                                        .out = scene->out,
                                        .sweep = queued_sweep_on(scene->db, 4, REQUEST),
                                        .planned = 2};
}

static void end(struct scene *scene)
{
    EXPECT_INT(fclose(scene->out), 0);
    free(scene->text);
    notifications_free(scene->notifications);
    db_pool_free(scene->pool);
    db_free(scene->db);
    folder_remove(&scene->folder);
}

#define TEST_WITH_SWEEP(name) TEST_GIVEN(name, struct scene *scene, with_sweep)

TEST_MAKER(with_sweep, struct scene, begin, end)

static struct bench_sight look(struct scene *scene)
{
    struct bench_sight sight = {0};

    EXPECT(bench_watch_look(&scene->watch, &sight, NULL));
    fflush(scene->out);
    return sight;
}

/* The next run begins and ends so. */
static void run_one(struct scene *scene, enum run_state state)
{
    AUTO(run_clear) struct run run = claim_run(scene->db);

    run.state = state;
    run.ended_us = NOON_US + 9;
    snprintf(run.reason, sizeof run.reason, "for a reason");
    EXPECT(runs_end(scene->db, &run, NULL));
}

static void expect_settled(struct scene *scene, enum run_state state, size_t settled)
{
    struct bench_sight sight = look(scene);

    EXPECT_INT((long long)sight.settled, 0);
    EXPECT(!sight.idle && !sight.over);
    run_one(scene, state);
    sight = look(scene);
    EXPECT_HAS(sight, (ended, 1), (settled, settled));
    claim_one(scene->db);
    sight = look(scene);
    EXPECT(sight.running.text[0] != '\0');
    EXPECT_PART(scene->text, settled ? "run 2 of 2 begins" : "run 1 of 2 begins");
}

TEST_WITH_SWEEP(a_failed_run_is_settled)
{
    expect_settled(scene, RUN_FAILED, 1);
}

TEST_WITH_SWEEP(an_interrupted_run_is_repeated_and_not_settled)
{
    expect_settled(scene, RUN_INTERRUPTED, 0);
}

TEST_WITH_SWEEP(a_preempted_run_is_repeated_and_not_settled)
{
    expect_settled(scene, RUN_PREEMPTED, 0);
}

static void end_invalid(struct scene *scene)
{
    AUTO(run_clear) struct run run = claim_run(scene->db);

    run.state = RUN_FINISHED;
    run.ended_us = NOON_US + 9;
    run.ended_by = "target";
    run.validity = VALIDITY_INVALID;
    run.summary = (struct summary){.measured_steps = 30,
                                   .measured_seconds = 1,
                                   .samples_per_second = 7,
                                   .median_step_seconds = 0.1};
    EXPECT(runs_end(scene->db, &run, NULL));
}

TEST_WITH_SWEEP(a_repetition_is_printed_as_one_and_counts_once)
{
    AUTO(sweep_row_clear) struct sweep_row row = {0};
    bool queued;

    end_invalid(scene);
    run_one(scene, RUN_FAILED);
    struct bench_sight sight = look(scene);
    EXPECT_INT((long long)sight.settled, 2);
    EXPECT(sweeps_find(scene->db, scene->watch.sweep.text, &row, NULL));
    EXPECT(
        sweeps_repeat(scene->db, &row, (struct sweep_repeat){"", NOON_US, 100}, &queued, NULL));
    EXPECT(queued);
    claim_one(scene->db);
    sight = look(scene);
    EXPECT_INT((long long)sight.settled, 1);
    EXPECT_PART(scene->text, "run 2 of 2 begins again: the one before was invalid\n");
}

/* The run under way has come this far. */
static struct bench_sight hear(struct scene *scene, const char *id, struct progress progress)
{
    struct run_id running = {""};

    snprintf(running.text, sizeof running.text, "%s", id);
    progress.phase = progress.half_width_percent > 0 ? "measuring" : "warm_up";
    notifications_progress(scene->notifications, &running, &progress, clock_monotonic_ns());
    return look(scene);
}

static size_t count_lines(const struct scene *scene)
{
    size_t lines = 0;

    for (const char *c = scene->text; *c; c++)
        lines += *c == '\n';
    return lines;
}

TEST_WITH_SWEEP(the_first_figure_comes_at_once_and_others_now_and_then)
{
    struct progress some = {.steps_done = 6,
                            .steps_planned = 60,
                            .samples_per_second = 14.8,
                            .rough_percent = 6,
                            .elapsed_seconds = 20,
                            .seconds_left = 100};

    claim_one(scene->db);
    struct bench_sight sight = look(scene);
    EXPECT_INT((long long)count_lines(scene), 1);
    hear(scene, sight.running.text, (struct progress){.steps_planned = 60});
    EXPECT_INT((long long)count_lines(scene), 1); /* there is no figure yet */
    sight = hear(scene, sight.running.text, some);
    EXPECT_INT(sight.steps, 6);
    EXPECT_PART(scene->text,
                "batch_size=8: warming up, 14.8 samples/s within roughly 6.0 %, about 100 s "
                "left, about 4 min of all\n");
    some.half_width_percent = 3;
    some.within_reach_percent = 2.2;
    hear(scene, sight.running.text, some);
    EXPECT_INT((long long)count_lines(scene), 2); /* too early for another */
    scene->watch.printed_ns -= 21 * NS_PER_SECOND;
    hear(scene, sight.running.text, some);
    EXPECT_PART(scene->text,
                "measuring, 14.8 samples/s within 3.0 % (2.2 % is within reach), about 100 s "
                "left");
}

TEST_WITH_SWEEP(a_terminal_has_one_line_that_is_written_anew)
{
    struct progress some = {.steps_done = 6, .steps_planned = 60, .samples_per_second = 14.8};

    scene->watch.terminal = true;
    claim_one(scene->db);
    struct bench_sight sight = look(scene);
    for (int second = 0; second < 3; second++) {
        scene->watch.printed_ns -= 2 * NS_PER_SECOND;
        hear(scene, sight.running.text, some);
    }
    EXPECT_INT((long long)count_lines(scene), 1);
    EXPECT_PART(scene->text, " samples/s\r\033[Kbatch_size=8: warming up");
    EXPECT(scene->watch.line_is_open);
}
