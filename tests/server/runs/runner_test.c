/* The runner on a machine that the cloud takes back, whose clock is set, and with a database that
 * fails. */
#include "server/runs/runner.h"

#include "common/clock.h"
#include "server/base/log.h"
#include "server/http/routes.h"
#include "tests/db/database.h"
#include "tests/server/base/untimed.h"
#include "tests/server/runs/queued_sweep.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>

#define PATIENCE_MS (PATIENCE_SECONDS * 1000)
#define FIRST "AWS takes this machine back (terminate)"

/* How far somebody has set the calendar clock back. */
static atomic_llong set_back_seconds;

/* Instead of the C library's. */
int clock_gettime(clockid_t clock, struct timespec *ret_now)
{
    int rc = (int)syscall(SYS_clock_gettime, clock, ret_now);

    if (clock == CLOCK_REALTIME)
        ret_now->tv_sec -= atomic_load(&set_back_seconds);
    return rc;
}

struct scene {
    struct folder folder;
    struct config config;
    struct engines engines;
    struct notifications *notifications;
    struct metrics *metrics;
    struct this_machine *this_machine;
    struct runner *runner;
    struct db *db;
};

static void start(struct scene *scene)
{
    struct error err = {0};

    scene->runner = runner_start(&(struct runner_parts){.config = &scene->config,
                                                        .engines = &scene->engines,
                                                        .notifications = scene->notifications,
                                                        .metrics = scene->metrics,
                                                        .this_machine = scene->this_machine},
                                 &err);
    EXPECT_STR(err.message, "");
    REQUIRE(scene->runner);
}

static void begin(struct scene *scene)
{
    const char *fake = getenv("PENNYWORTH_TEST_FAKE");
    char engines[5000];
    struct error err = {0};

    if (!fake) {
        fputs("PENNYWORTH_TEST_FAKE must name the fake worker\n", stderr);
        exit(1);
    }
    signal(SIGPIPE, SIG_IGN); /* as the server does */
    *scene = (struct scene){
        .folder = folder_make(),
        .config = {
            .metadata = "off", .life_cycle = "auto", .confine = "on", .silence_seconds = 60}};
    snprintf(scene->config.database, sizeof scene->config.database, "%s", scene->folder.file);
    snprintf(engines, sizeof engines, "slow=%s slow 20;ok=%s ok", fake, fake);
    EXPECT(engines_read(engines, "native", &scene->engines, &err));
    scene->notifications = untimed_notifications();
    scene->metrics = metrics_new(route_count, route_label);
    scene->this_machine = this_machine_new(&scene->config);
    EXPECT(scene->this_machine != NULL);
    this_machine_look(scene->this_machine);
    scene->db = open_database(&scene->folder);
    EXPECT_STR(err.message, "");
    start(scene);
}

static void stop(struct scene *scene)
{
    runner_stop(scene->runner);
    runner_stop(scene->runner); /* as a bench does */
    runner_free(scene->runner);
    scene->runner = NULL;
}

static void end(struct scene *scene)
{
    stop(scene);
    db_free(scene->db);
    this_machine_free(scene->this_machine);
    metrics_free(scene->metrics);
    notifications_free(scene->notifications);
    engines_free(&scene->engines);
    folder_remove(&scene->folder);
}

#define TEST_WITH_RUNNER(name) TEST_GIVEN(name, struct scene *scene, with_runner)

TEST_MAKER(with_runner, struct scene, begin, end)

static struct run_id queue(struct scene *scene, const char *spec_text)
{
    AUTO(run_clear) struct run run = {0};
    struct run_spec spec;
    struct run_order order = {.spec = &spec, .instance = "", .now_us = NOON_US, .queue_limit = 9};
    bool replayed;

    EXPECT_OK(run_spec_from_text(spec_text, strlen(spec_text), &spec, &err));
    EXPECT_OK(runs_create(scene->db, &order, &run, &replayed, &err));
    runner_wake(scene->runner);
    return run.id;
}

#define SLOW "{\"engine\":\"slow\",\"steps\":100000,\"warmup_steps\":0}"
#define QUICK "{\"engine\":\"ok\",\"steps\":3,\"warmup_steps\":0}"

/* The run, once it is in this state, or when patience is over. */
static struct run await(struct scene *scene, const struct run_id *id, enum run_state state)
{
    struct run run = {0};

    for (int waited = 0; waited < PATIENCE_MS; waited++) {
        run_clear(&run);
        EXPECT(runs_find(scene->db, id->text, &run, NULL));
        if (run.state == state)
            break;
        nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
    }
    EXPECT_STR(run_state_name(run.state), run_state_name(state));
    return run;
}

static void reach(struct scene *scene, const struct run_id *id, enum run_state state)
{
    AUTO(run_clear) struct run run = await(scene, id, state);
}

static void expect_state(struct scene *scene, const struct run_id *id, enum run_state state)
{
    AUTO(run_clear) struct run run = {0};

    EXPECT(runs_find(scene->db, id->text, &run, NULL));
    EXPECT_STR(run_state_name(run.state), run_state_name(state));
}

TEST_WITH_RUNNER(a_notice_ends_the_current_run_and_begins_no_other)
{
    char why[200] = "";

    struct run_id first = queue(scene, SLOW), second = queue(scene, QUICK);
    reach(scene, &first, RUN_RUNNING);
    EXPECT(!runner_is_preempted(scene->runner, why, sizeof why));
    EXPECT(!runner_is_drained(scene->runner));
    EXPECT_STR(why, "");

    runner_preempt(scene->runner, FIRST);
    runner_preempt(scene->runner, "something else"); /* the first reason stays */
    AUTO(run_clear) struct run ended = await(scene, &first, RUN_PREEMPTED);
    EXPECT_STR(ended.reason, FIRST);
    EXPECT(ended.ended_us >= ended.started_us && ended.started_us > 0);
    EXPECT(runner_is_preempted(scene->runner, why, sizeof why));
    EXPECT_STR(why, FIRST);
    EXPECT(runner_is_drained(scene->runner));
    struct run_id third = queue(scene, QUICK); /* a request that was already accepted */
    nanosleep(&(struct timespec){.tv_nsec = 100 * NS_PER_MS}, NULL);
    expect_state(scene, &second, RUN_QUEUED);
    expect_state(scene, &third, RUN_QUEUED);

    stop(scene);
    start(scene); /* as another machine would, with the same database */
    reach(scene, &second, RUN_FINISHED);
    reach(scene, &third, RUN_FINISHED);
    expect_state(scene, &first, RUN_PREEMPTED);
    EXPECT(!runner_is_preempted(scene->runner, NULL, 0));
}

TEST_WITH_RUNNER(an_idle_runner_is_drained_at_once)
{
    runner_preempt(scene->runner, FIRST);
    EXPECT(runner_is_drained(scene->runner));
    struct run_id id = queue(scene, QUICK);
    nanosleep(&(struct timespec){.tv_nsec = 50 * NS_PER_MS}, NULL);
    expect_state(scene, &id, RUN_QUEUED);
}

TEST_WITH_RUNNER(a_withdrawn_notice_lets_the_queue_go_on)
{
    runner_withdraw_preemption(scene->runner); /* without a notice it does nothing */
    runner_preempt(scene->runner, FIRST);
    struct run_id id = queue(scene, QUICK);
    nanosleep(&(struct timespec){.tv_nsec = 50 * NS_PER_MS}, NULL);
    expect_state(scene, &id, RUN_QUEUED);
    runner_withdraw_preemption(scene->runner);
    reach(scene, &id, RUN_FINISHED);
    EXPECT(!runner_is_preempted(scene->runner, NULL, 0));
    EXPECT(!runner_is_drained(scene->runner));
    AUTO(bytes_free) struct bytes text = {.limit = 1024 * 1024};
    EXPECT(metrics_write(scene->metrics, &text));
    EXPECT_PART(text.data, "pennyworth_spot_notice 0\n");
    runner_preempt(scene->runner, "another reason");
    char why[200];
    EXPECT(runner_is_preempted(scene->runner, why, sizeof why));
    EXPECT_STR(why, "another reason");
}

TEST_WITH_RUNNER(a_cancel_wins_over_a_notice)
{
    struct run_id id = queue(scene, SLOW);
    reach(scene, &id, RUN_RUNNING);
    EXPECT(runner_cancel(scene->runner, id.text));
    runner_preempt(scene->runner, FIRST);
    AUTO(run_clear) struct run ended = await(scene, &id, RUN_CANCELLED);
    EXPECT_STR(ended.reason, "");
}

TEST_WITH_RUNNER(a_stop_afterwards_does_not_change_the_reason)
{
    struct run_id id = queue(scene, SLOW);
    reach(scene, &id, RUN_RUNNING);
    runner_preempt(scene->runner, FIRST);
    stop(scene);
    expect_state(scene, &id, RUN_PREEMPTED);
    start(scene);
}

static struct run_id queue_sweep(struct scene *scene)
{
    struct run_id id = queued_sweep(scene->db, &scene->this_machine->place, ONE_RUN);

    runner_wake(scene->runner);
    return id;
}

/* Whether that many runs have finished, in the end. */
static bool await_finished(struct scene *scene, long long count)
{
    for (int waited = 0; waited < PATIENCE_MS; waited++) {
        if (rows_in(scene->db, "runs WHERE state = 'finished'") == count)
            return true;
        nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
    }
    return false;
}

TEST_WITH_RUNNER(a_sweep_whose_end_could_not_be_stored_ends_later)
{
    execute(scene->db, "CREATE TRIGGER no BEFORE UPDATE ON sweeps"
                       " BEGIN SELECT RAISE(ABORT, 'not now'); END");
    struct run_id id = queue_sweep(scene);
    EXPECT(await_finished(scene, 1));
    nanosleep(&(struct timespec){.tv_nsec = 100 * NS_PER_MS}, NULL);
    EXPECT_INT(sweep_state_of(scene->db, &id), SWEEP_RUNNING);
    execute(scene->db, "DROP TRIGGER no");
    runner_wake(scene->runner); /* no run will end any more, but it is looked at again */
    for (int waited = 0; waited < 2000 && sweep_state_of(scene->db, &id) == SWEEP_RUNNING;
         waited++)
        nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
    EXPECT_INT(sweep_state_of(scene->db, &id), SWEEP_FINISHED);
}

#define SECOND_LONG "{\"engine\":\"slow\",\"steps\":50,\"warmup_steps\":0}"
#define DAY_SECONDS 86400LL

TEST_WITH_RUNNER(a_clock_that_is_set_back_during_a_run_does_not_end_it_before_it_began)
{
    struct run_id id = queue(scene, SECOND_LONG);
    reach(scene, &id, RUN_RUNNING);
    atomic_store(&set_back_seconds, 30 * DAY_SECONDS);
    AUTO(run_clear) struct run ended = await(scene, &id, RUN_FINISHED);
    EXPECT(ended.ended_us - ended.started_us >= 900 * 1000);
    EXPECT(ended.ended_us - ended.started_us < PATIENCE_SECONDS * 1000000LL);
    atomic_store(&set_back_seconds, 0);
}

TEST_WITH_RUNNER(no_run_begins_or_ends_before_it_was_created)
{
    atomic_store(&set_back_seconds, 365 * 40 * DAY_SECONDS); /* long before NOON_US */
    struct run_id first = queue(scene, SECOND_LONG), second = queue(scene, QUICK);
    reach(scene, &first, RUN_RUNNING);
    AUTO(run_clear) struct run cancelled = {0};
    EXPECT(runs_cancel(scene->db, second.text, clock_calendar_us(), &cancelled, NULL));
    EXPECT_INT(cancelled.ended_us, NOON_US);
    AUTO(run_clear) struct run ended = await(scene, &first, RUN_FINISHED);
    EXPECT_INT(ended.started_us, NOON_US);
    EXPECT(ended.ended_us > NOON_US);
    atomic_store(&set_back_seconds, 0);
}
