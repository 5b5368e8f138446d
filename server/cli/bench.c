/* Tested by tests/api/test_bench.py. */
#include "server/cli/bench.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/haste.h"
#include "common/json_text.h"
#include "db/runs/runs.h"
#include "server/base/heartbeat.h"
#include "server/base/log.h"
#include "server/cli/bench_json.h"
#include "server/cli/bench_load.h"
#include "server/cli/bench_plan.h"
#include "server/cli/bench_table.h"
#include "server/cli/bench_wanted.h"
#include "server/cli/bench_watch.h"
#include "server/cli/process.h"
#include "server/hub/hub_wait.h"
#include "server/runs/sweep_queue.h"

#include <math.h>
#include <time.h>

#define LOOK_NS NS_PER_SECOND /* between two looks at the runs, to disturb them little */
#define FIRST_LOOK_NS (100 * NS_PER_MS) /* the same, shortly after a run has ended, */
#define MOMENT_NS (2 * NS_PER_SECOND)   /* while the next one is not measuring yet */
#define PRICES_SECONDS 25               /* wait so long for the first prices of the feeds */
#define IDLE_NS (15 * NS_PER_SECOND)    /* until we give up on a sweep whose runs have ended */
#define STOPPED_SECONDS 8  /* for the hub after a signal: the sender kills us after ten */
#define LEAVING_SECONDS 90 /* for the hub after a preemption notice */
#define BENCH_PATIENCE_SECONDS                                                                   \
    60 /* of "pennyworth health", beyond the longest silence of a worker */
#define LEAVING_NS (5 * NS_PER_SECOND) /* for a run to end after such a notice */

struct bench {
    struct process *process;
    struct hub_uploader *uploader; /* NULL: without a hub */
    struct bench_wanted wanted;    /* with --wanted */
    struct bench_plan plan;
    struct bench_watch watch;
    struct bench_sight seen; /* at the last progress */
    struct heartbeat heartbeat;
    struct bench_load load; /* before the first run */
    sigset_t signals;
    long long began_ns, ended_ns; /* of the bench; of the run that ended last */
    double dollars_per_hour;      /* 0 unknown */
    int signal;                   /* the one received, or 0 */
    bool preempted;
    char why_ended[200]; /* why the bench ended early, or "" */
};

static void bench_end(struct bench *bench)
{
    hub_uploader_free(bench->uploader);
    if (bench->process)
        process_end(bench->process);
    freep(&bench->process);
    bench_plan_clear(&bench->plan);
    heartbeat_end(&bench->heartbeat);
}

/* Sleeps; returns true if a signal comes. */
static bool bench_nap(struct bench *bench, long long nanoseconds)
{
    const struct timespec time = {.tv_sec = nanoseconds / NS_PER_SECOND,
                                  .tv_nsec = nanoseconds % NS_PER_SECOND};
    int received = sigtimedwait(&bench->signals, NULL, &time);

    if (received > 0)
        bench->signal = received;
    return bench->signal != 0;
}

/* Waits for the first prices: a run keeps the price that is known when it begins, and reading
 * prices would disturb it. */
static void wait_for_prices(struct bench *bench)
{
    const struct server *server = &bench->process->server;
    long long deadline_ns = clock_monotonic_ns() + PRICES_SECONDS * NS_PER_SECOND;
    bool asked_printed = false, prices_printed = false;

    while (!refresher_is_settled(server->refresher) && clock_monotonic_ns() < deadline_ns) {
        bool asked = this_machine_was_asked(server->this_machine);

        if (!asked && !asked_printed)
            fputs("asking which machine this is\n", stderr);
        if (asked && !prices_printed)
            fprintf(stderr, "waiting for the first reading of the price feeds, %d s at most\n",
                    PRICES_SECONDS);
        asked_printed = true;
        prices_printed |= asked;
        (void)heartbeat_beat(&bench->heartbeat, "waits for prices", clock_monotonic_ns());
        if (bench_nap(bench, 50 * NS_PER_MS))
            return;
    }
    if (!refresher_is_settled(server->refresher))
        fputs("the price feeds are slow: going on with what is known\n", stderr);
}

/* Never waits for them to be idle. */
static void look_at_processors(struct bench *bench)
{
    long long wait_ns;

    while (!bench_load_look(&bench->load, bench->process->server.this_machine, &wait_ns) &&
           wait_ns > 0 && !bench_nap(bench, wait_ns))
        continue;
    bench_load_tell(&bench->load, stderr);
}

static bool look_at_price(struct bench *bench, struct error *err)
{
    const struct server *server = &bench->process->server;
    AUTO(db_loan_end) struct db_loan loan = db_borrow(server->pool);
    struct machine_price price;

    if (!this_machine_price(server->this_machine, loan.db, clock_calendar_us(), &price, err))
        return false;
    bench->dollars_per_hour = price.known ? price.dollars : 0;
    return !(server->config->max_dollars > 0) || bench->dollars_per_hour > 0 ||
           error_set(err, ERROR_UNABLE, "--max-dollars",
                     "cannot be kept: --price-per-hour overrides it; %.180s", price.why_not);
}

/* Continues an earlier bench in this database that was interrupted, and sets *ret_found. Cancels
 * one with another request. */
static bool find_earlier(struct bench *bench, bool *ret_found, struct error *err)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(bench->process->server.pool);
    long long after = 0;

    *ret_found = false;
    for (;;) {
        AUTO(sweep_row_clear) struct sweep_row row = {0};
        enum bench_kin kin;
        struct run_id id;
        bool found;

        if (!sweeps_next_running(loan.db, after, &id, &found, err))
            return false;
        if (!found)
            return true;
        if (!sweeps_find(loan.db, id.text, &row, err))
            return false;
        after = row.number;
        kin = bench_plan_compare(&bench->plan, row.request);
        if (kin == BENCH_SAME && !*ret_found) {
            bench->watch.sweep = id;
            *ret_found = true;
        } else if (kin != BENCH_STRANGER) {
            fprintf(stderr, "an earlier bench, sweep %s, asked for something else: given up\n",
                    id.text);
            if (!sweeps_end(loan.db, id.text, SWEEP_CANCELLED, clock_calendar_us(), err))
                return false;
        }
    }
}

/* When the time or the money is spent, whichever is first. */
static void allow_repeats(struct bench *bench)
{
    double seconds = (double)bench->plan.repeat_seconds;
    double dollars = bench->process->config.max_dollars;

    if (dollars > 0)
        seconds = fmin(seconds, 3600 * dollars / bench->dollars_per_hour);
    bench->process->repeats = (struct sweeper_repeats){
        .sweep = bench->watch.sweep, .until_ns = bench->began_ns + (long long)(seconds * 1e9)};
}

static bool queue_plan(struct bench *bench, struct error *err)
{
    const struct server *server = &bench->process->server;
    AUTO(db_loan_end) struct db_loan loan = db_borrow(server->pool);
    const struct sweep_wish wish = {.queue_limit = server->config->queue_limit,
                                    .text = bench->plan.request};
    bool replayed;

    return sweep_queue(loan.db, server->this_machine, &wish, &bench->watch.sweep, &replayed, err);
}

static bool place_runs(struct bench *bench, struct error *err)
{
    const struct server *server = &bench->process->server;
    bool found;

    if (!find_earlier(bench, &found, err))
        return false;
    if (found)
        fprintf(stderr, "going on with an earlier bench that was cut short, sweep %s\n",
                bench->watch.sweep.text);
    else if (!queue_plan(bench, err))
        return false;
    bench->watch.server = server;
    bench->watch.out = stderr;
    bench->watch.terminal = isatty(STDERR_FILENO) == 1;
    bench->watch.planned = bench->plan.runs;
    bench->began_ns = bench->ended_ns = clock_monotonic_ns();
    allow_repeats(bench);
    runner_wake(server->runner);
    return true;
}

/* Whether time or money is spent. */
static bool is_spent(struct bench *bench)
{
    const struct config *config = &bench->process->config;
    double seconds = (double)(clock_monotonic_ns() - bench->began_ns) / 1e9;
    double dollars = seconds / 3600 * bench->dollars_per_hour;

    if (seconds >= (double)config->max_seconds)
        snprintf(bench->why_ended, sizeof bench->why_ended,
                 "%lld seconds are over (--max-seconds)", config->max_seconds);
    else if (config->max_dollars > 0 && dollars >= config->max_dollars)
        snprintf(bench->why_ended, sizeof bench->why_ended,
                 "%.4g dollars are spent (--max-dollars)", config->max_dollars);
    return bench->why_ended[0] != '\0';
}

static void cancel_running(struct bench *bench, const struct bench_sight *sight)
{
    if (sight->running.text[0])
        (void)runner_cancel(bench->process->server.runner, sight->running.text);
}

/* Cancels the queued runs and the current one; its own limits keep the loss small. */
static bool give_up_rest(struct bench *bench, const struct bench_sight *sight, struct error *err)
{
    const struct server *server = &bench->process->server;
    AUTO(db_loan_end) struct db_loan loan = db_borrow(server->pool);
    struct error why = {0};

    fprintf(stderr, "%s: ending\n", bench->why_ended);
    if (!sweeps_end(loan.db, bench->watch.sweep.text, SWEEP_CANCELLED, clock_calendar_us(),
                    &why) &&
        why.kind != ERROR_CONFLICT) /* the sweep has just ended by itself */
        return error_set(err, why.kind, NULL, "%s", why.message);
    cancel_running(bench, sight);
    return true;
}

/* Progress is a new step, another run, or an end. */
static void bench_beat(struct bench *bench, const struct bench_sight *sight)
{
    const struct bench_sight *seen = &bench->seen;
    char doing[HEARTBEAT_DOING];

    if (sight->settled == seen->settled && sight->steps == seen->steps &&
        strcmp(sight->running.text, seen->running.text) == 0)
        return;
    snprintf(doing, sizeof doing, "run %zu of %zu, step %lld",
             sight->settled < bench->plan.runs ? sight->settled + 1 : bench->plan.runs,
             bench->plan.runs, sight->steps);
    if (heartbeat_beat(&bench->heartbeat, doing, clock_monotonic_ns()))
        bench->seen = *sight; /* if not written, the next look tries again */
}

static bool bench_look(struct bench *bench, struct bench_sight *sight, struct error *err)
{
    if (!bench_watch_look(&bench->watch, sight, err))
        return false;
    bench_beat(bench, sight);
    if (sight->ended > 0)
        bench->ended_ns = clock_monotonic_ns();
    if (sight->ended > 0 && bench->uploader)
        hub_uploader_wake(bench->uploader);
    return true;
}

/* Whether a preemption notice stands and has ended the current run. */
static bool is_left(struct bench *bench)
{
    struct runner *runner = bench->process->server.runner;

    if (!bench->preempted &&
        runner_is_preempted(runner, bench->why_ended, sizeof bench->why_ended)) {
        bench->preempted = true;
        bench->ended_ns = clock_monotonic_ns(); /* so that the next look comes soon */
    }
    return bench->preempted &&
           (runner_is_drained(runner) || clock_monotonic_ns() - bench->ended_ns > LEAVING_NS);
}

static long long next_look(const struct bench *bench)
{
    long long look_ns = haste_pause(LOOK_NS);
    bool is_soon = clock_monotonic_ns() - bench->ended_ns < MOMENT_NS;

    return is_soon && look_ns > FIRST_LOOK_NS ? FIRST_LOOK_NS : look_ns;
}

/* Follows the runs until all have ended, or there is a reason to end early. */
static bool bench_follow(struct bench *bench, struct error *err)
{
    bool given_up = false;
    long long busy_ns = clock_monotonic_ns(); /* when a run was queued or under way */

    for (;;) {
        struct bench_sight sight;

        if (!bench_look(bench, &sight, err))
            return false;
        if (!sight.idle)
            busy_ns = clock_monotonic_ns();
        if (sight.over || clock_monotonic_ns() - busy_ns > IDLE_NS)
            return true;
        if (is_left(bench))
            return true;
        /* After a preemption the remaining runs stay queued, for the next bench. */
        if (!given_up && !bench->preempted && is_spent(bench)) {
            if (!give_up_rest(bench, &sight, err))
                return false;
            given_up = true;
        } else if (given_up) {
            cancel_running(bench, &sight); /* a run that began before we cancelled the rest */
        }
        if (bench_nap(bench, next_look(bench))) {
            snprintf(bench->why_ended, sizeof bench->why_ended, "stopped by signal %d",
                     bench->signal);
            return true;
        }
    }
}

/* When it returns, no run is under way, and the end of each is printed. */
static bool end_runs(struct bench *bench, struct error *err)
{
    struct bench_sight sight;

    runner_stop(bench->process->server.runner);
    return bench_look(bench, &sight, err);
}

static void bench_deliver(struct bench *bench)
{
    long long seconds = bench->process->config.report_seconds;

    if (!bench->uploader)
        return;
    if (bench->preempted && seconds > LEAVING_SECONDS)
        seconds = LEAVING_SECONDS;
    if (bench->signal && seconds > STOPPED_SECONDS)
        seconds = STOPPED_SECONDS;
    (void)hub_wait(bench->uploader, &bench->signals, seconds, &bench->heartbeat);
}

static bool is_wanted(const struct config *config)
{
    return strcmp(config->wanted, "on") == 0;
}

/* The exit status. */
static int bench_tell(struct bench *bench)
{
    const struct server *server = &bench->process->server;
    AUTO(bench_report_clear)
    struct bench_report report = {.set = is_wanted(server->config) ? BENCH_WANTED
                                                                   : server->config->set,
                                  .facts = server->this_machine->machine.facts,
                                  .at_us = clock_calendar_us(),
                                  .blocks = (long long)(bench->plan.runs / bench->plan.cells),
                                  .why_ended = bench->why_ended[0] ? bench->why_ended : NULL,
                                  .load = bench->load,
                                  .preempted = bench->preempted};
    AUTO(bytes_free) struct bytes text = {.limit = 1024 * 1024};
    AUTO(db_loan_end) struct db_loan loan = db_borrow(server->pool);
    struct hub_uploader_status hub;
    struct error err = {0};
    bool json = strcmp(server->config->format, "json") == 0;

    if (bench->uploader) {
        hub_uploader_status(bench->uploader, &hub);
        report.hub = &hub;
    }
    this_machine_identity(server->this_machine, &report.identity);
    if (!this_machine_price(server->this_machine, loan.db, report.at_us, &report.price, &err) ||
        !bench_report_load(loan.db, bench->watch.sweep.text, &report, &err))
        return command_failed(&err);
    if (!(json ? bench_json_write(&text, &report) : bench_table_write(&text, &report))) {
        bytes_too_long(&text, "the report", &err);
        return command_failed(&err);
    }
    fputs(text.data, stdout);
    if (fflush(stdout) != 0) {
        error_set(&err, ERROR_INTERNAL, NULL, "the answer could not be written to stdout");
        return command_failed(&err);
    }
    return bench_report_status(&report);
}

static bool bench_begin(struct bench *bench, const struct config *config, struct error *err)
{
    process_block_signals(&bench->signals);
    if (!process_make_folders(config->database, err))
        return false;
    heartbeat_start(&bench->heartbeat, config->database, "bench",
                    config->silence_seconds + BENCH_PATIENCE_SECONDS);
    if (!process_begin(bench->process, false, err))
        return false;
    if (!config->report_to[0])
        return true;
    bench->uploader =
        hub_uploader_start(&(struct hub_uploader_parts){.config = &bench->process->config}, err);
    return bench->uploader != NULL;
}

static bool bench_plan_runs(struct bench *bench, const struct config *config, bool has_bf16,
                            struct error *err)
{
    const struct run_spec *wanted = bench->wanted.found ? &bench->wanted.spec : NULL;

    bench_plan_clear(&bench->plan);
    return bench_plan_make(
        &(struct bench_wish){.set = is_wanted(config) ? BENCH_WANTED : config->set,
                             .wanted = wanted,
                             .label = config->label,
                             .max_seconds = config->max_seconds,
                             .max_dollars = config->max_dollars,
                             .batch_size = config->batch_size,
                             .has_bf16 = has_bf16},
        &bench->plan, err);
}

/* If the hub wants nothing, that is a success: prints a sentence or an object to stdout. */
static int tell_nothing(struct bench *bench)
{
    AUTO(json_decrefp)
    json_t *answer =
        json_pack("{s:s,s:n,s:s}", "bench", BENCH_WANTED, "sweep", "words", bench->wanted.words);
    AUTO(freep) char *text = json_text(answer);
    bool json = strcmp(bench->process->config.format, "json") == 0;

    printf("%s\n", json ? text : bench->wanted.words);
    bench_deliver(bench);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static bool choose_wanted(struct bench *bench, struct error *err)
{
    const struct config *config = &bench->process->config;

    if (!is_wanted(config))
        return true;
    (void)heartbeat_beat(&bench->heartbeat, "asks the hub what it wants", clock_monotonic_ns());
    if (!bench_wanted_choose(config, bench->process->server.this_machine, &bench->wanted, err))
        return false;
    if (bench->wanted.found)
        fprintf(stderr, "%s\n", bench->wanted.words);
    return true;
}

static int bench_measure(struct bench *bench, struct error *err)
{
    const struct config *config = &bench->process->config;
    long long wait_ns; /* the first look only begins to watch */

    (void)bench_load_look(&bench->load, bench->process->server.this_machine, &wait_ns);
    wait_for_prices(bench);
    if (!choose_wanted(bench, err))
        return command_failed(err);
    if (is_wanted(config) && !bench->wanted.found)
        return tell_nothing(bench);
    if (!look_at_price(bench, err) ||
        !bench_plan_runs(bench, config,
                         bench->process->server.this_machine->place.isa >= CPU_AVX512_BF16, err))
        return command_failed(err);
    look_at_processors(bench);
    if (bench->signal) {
        fprintf(stderr, "stopped by signal %d before anything was measured\n", bench->signal);
        bench_deliver(bench);
        return EXIT_NOTHING;
    }
    if (!place_runs(bench, err) || !bench_follow(bench, err) || !end_runs(bench, err))
        return command_failed(err);
    if (bench->why_ended[0] && (bench->preempted || bench->signal))
        fprintf(stderr, "%s\n", bench->why_ended);
    bench_deliver(bench);
    return bench_tell(bench);
}

int bench_command(const struct config *config)
{
    AUTO(bench_end) struct bench bench = {0};
    struct error err = {0};

    if (log_wants(LOG_INFO) && !log_wants(LOG_DEBUG)) /* our own lines replace the log's */
        log_set_level(LOG_ERROR);
    /* Checks the labels before anything else. */
    if (!bench_plan_runs(&bench, config, false, &err))
        return command_refused(&err);
    bench.process = process_new(config, &err);
    if (!bench.process)
        return command_refused(&err);
    if (!bench_begin(&bench, config, &err))
        return command_failed(&err);
    return bench_measure(&bench, &err);
}
