/* Tested by tests/api/test_stop.py. */
#include "server/cli/process.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/haste.h"
#include "common/memory.h"
#include "common/units.h"
#include "db/db_lock.h"
#include "db/file_error.h"
#include "db/restore.h"
#include "db/runs/trust.h"
#include "engine/run/memory.h"
#include "server/base/log.h"
#include "server/http/edge/deadlines.h"
#include "server/http/openapi.h"
#include "server/http/routes.h"
#include "server/keys/key_file.h"
#include "server/prices/published.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>

#define SLOW_READER_NS (10 * NS_PER_SECOND)
#define DRAIN_NS NS_PER_SECOND /* for the answers that are being sent when we stop */

static long long process_tick(void *user, long long now_ns)
{
    struct process *process = user;
    long long notifications = notifications_tick(process->server.notifications, now_ns);
    long long http = http_tick(process->http, now_ns);

    return notifications < http ? notifications : http;
}

static void wake_by(void *user, long long when_ns)
{
    struct process *process = user;

    if (process->deadlines)
        deadlines_wake_by(process->deadlines, when_ns);
}

bool process_make_folders(const char *path, struct error *err)
{
    AUTO(freep) char *directory = xstrdup(path);

    for (char *slash = strchr(directory + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(directory, 0700) != 0 && errno != EEXIST)
            return file_error_set(err, ERROR_INVALID, "--database", "make", directory, errno);
        *slash = '/';
    }
    return true;
}

/* The worker installed next to this program. */
static void native_command(char *ret_path, size_t size)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    self[length > 0 ? length : 0] = '\0';
    slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    snprintf(ret_path, size, "%s/pennyworth-worker", self);
}

static long long threads_of(const struct run_spec *spec, const struct topology *topology)
{
    return spec->threads > 0 ? spec->threads
                             : topology_threads(topology, strcmp(spec->pinning, "smt") == 0);
}

static bool can_run(const void *user, const struct run_spec *spec, struct error *err)
{
    const struct process *process = user;
    const struct engine *engine = engines_find(&process->engines, spec->engine, err);
    struct memory_limit limit;

    if (!engine || !engines_can(&process->engines, spec, err))
        return false;
    if (!engine->ours)
        return true; /* we do not know the needs of other engines */
    memory_limit_read("", &limit);
    return memory_can_hold(spec, threads_of(spec, &process->server.this_machine->topology),
                           &limit, err);
}

static bool load_published(struct process *process, struct error *err)
{
    AUTO(db_loan_end) struct db_loan loan = {0};

    if (strcmp(process->config.published, "on") != 0)
        return true;
    loan = db_borrow(process->server.pool);
    return published_load(loan.db, clock_calendar_us(), err);
}

static bool set_trust(struct process *process, struct error *err)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(process->server.pool);

    return trust_set(loan.db, process->config.gate_trust, err);
}

/* Completes an interrupted restore and checks the database. */
static bool look_at_database(const char *database, struct error *err)
{
    if (restore_is_pending(database)) {
        if (!restore_finish(database, err))
            return false;
        log_line(LOG_INFO, "the restore of %s, which was not finished, is finished now",
                 database);
    }
    return verify_before_use(database, err);
}

/* Parts of every process: the database and its connections. */
static bool begin_store(struct process *process, bool serving, struct error *err)
{
    struct server *server = &process->server;
    const struct config *config = &process->config;
    size_t connections = serving ? (size_t)config->http_threads + LONG_JOB_THREADS : 1;

    process->lock = db_lock(config->database, err);
    if (!process->lock || !look_at_database(config->database, err))
        return false;
    server->pool = db_pool_open(config->database, connections, err);
    if (!server->pool || !db_lock_file(process->lock, config->database, err) ||
        !key_file_load(config->database, &process->key, err) || !load_published(process, err) ||
        (serving && !set_trust(process, err)))
        return false;
    server->signing_key = &process->key;
    server->metrics = metrics_new(route_count, route_label);
    server->notifications = notifications_new(haste_pause(SLOW_READER_NS), wake_by, process);
    server->backup_job = backup_job_new(config->database, server->notifications, err);
    return server->backup_job != NULL;
}

/* The threads that every process has. */
static bool begin_work(struct process *process, bool serving, struct error *err)
{
    struct server *server = &process->server;

    server->runner = runner_start(&(struct runner_parts){.config = &process->config,
                                                         .engines = &process->engines,
                                                         .notifications = server->notifications,
                                                         .metrics = server->metrics,
                                                         .this_machine = server->this_machine,
                                                         .waits = !serving,
                                                         .stops_for_little = !serving,
                                                         .repeats = &process->repeats},
                                  err);
    if (!server->runner)
        return false;
    server->refresher =
        refresher_start(&(struct refresher_parts){.config = &process->config,
                                                  .feeds = &process->feeds,
                                                  .this_machine = server->this_machine},
                        err);
    return server->refresher != NULL;
}

/* Parts that only a serving process needs. */
static bool begin_answers(struct process *process, struct error *err)
{
    struct server *server = &process->server;

    server->comparison_cache = comparison_cache_new();
    server->spot_histories = spot_histories_new();
    server->response_cache = response_cache_new();
    server->answer_budget =
        answer_budget_new((size_t)(process->config.answer_mib * MIB), server->notifications);
    server->long_jobs = long_jobs_start(server->notifications, err);
    if (!server->long_jobs)
        return false;
    process->deadlines = deadlines_start(process_tick, process, err);
    return process->deadlines != NULL;
}

/* Reads the tokens and opens the audit log. */
static bool begin_access(struct process *process, struct error *err)
{
    struct server *server = &process->server;

    server->token_store = token_store_new(&process->config, err);
    if (!server->token_store)
        return false;
    server->audit = audit_open(process->config.audit, err);
    return server->audit != NULL;
}

bool process_begin(struct process *process, bool serving, struct error *err)
{
    struct server *server = &process->server;
    const struct config *config = &process->config;

    server->this_machine = this_machine_new(config);
    this_machine_look(server->this_machine);
    server->this_machine->place.can = can_run;
    server->this_machine->place.user = process;
    server->this_machine->place.engines = process->engines.names;
    server->feeds = &process->feeds;
    server->large_body_slots = &process->room;
    server->config = config;
    server->engines = &process->engines;
    server->openapi = openapi_new(&process->engines);
    if (!engines_choose_user(&process->engines, config->engine_user, err) ||
        !process_make_folders(config->database, err))
        return false;
    if (serving && !begin_access(process, err))
        return false;
    /* Open the port before the database: a second server then reports the port in use. */
    if (serving && !(process->http = http_listen(config, err)))
        return false;
    return begin_store(process, serving, err) && (!serving || begin_answers(process, err)) &&
           begin_work(process, serving, err) &&
           (!serving || http_start(process->http, server, process->deadlines, err));
}

void process_end(struct process *process)
{
    struct server *server = &process->server;

    refresher_stop(server->refresher);
    runner_stop(server->runner);
    long_jobs_stop(server->long_jobs);
    if (server->notifications)
        notifications_close(server->notifications, clock_monotonic_ns());
    if (process->http)
        http_drain(process->http, DRAIN_NS);
    deadlines_stop(process->deadlines);
    http_stop(process->http);
    backup_job_free(server->backup_job);
    long_jobs_free(server->long_jobs);
    answer_budget_free(server->answer_budget);
    deadlines_free(process->deadlines);
    runner_free(server->runner);
    refresher_free(server->refresher);
    response_cache_free(server->response_cache);
    comparison_cache_free(server->comparison_cache);
    spot_histories_free(server->spot_histories);
    this_machine_free(server->this_machine);
    notifications_free(server->notifications);
    metrics_free(server->metrics);
    audit_free(server->audit);
    token_store_free(server->token_store);
    db_pool_free(server->pool);
    openapi_free(server->openapi);
    engines_free(&process->engines);
    db_unlockp(&process->lock);
}

static void reload_tokens(struct process *process)
{
    struct error err = {0};

    if (token_store_reload(process->server.token_store, &err))
        log_line(LOG_INFO, "SIGHUP: %zu tokens are known now",
                 token_store_count(process->server.token_store));
    else
        log_line(LOG_ERROR, "SIGHUP: the tokens stay as they were: %s %s", err.field,
                 err.message);
}

static void reopen_audit(struct process *process)
{
    struct error err = {0};

    if (audit_reopen(process->server.audit, &err))
        log_line(LOG_INFO, "SIGHUP: %s is open anew", process->config.audit);
    else
        log_line(LOG_ERROR, "SIGHUP: the audit stays where it was: %s %s", err.field,
                 err.message);
}

void process_reload(struct process *process)
{
    const struct config *config = &process->config;

    if (config->tokens[0])
        reload_tokens(process);
    if (config->audit[0])
        reopen_audit(process);
    if (!config->tokens[0] && !config->audit[0])
        log_line(LOG_INFO,
                 "SIGHUP: nothing to read again: neither --tokens nor --audit is given");
}

void process_block_signals(sigset_t *ret_signals)
{
    sigemptyset(ret_signals);
    sigaddset(ret_signals, SIGTERM);
    sigaddset(ret_signals, SIGINT);
    sigaddset(ret_signals, SIGHUP);
    /* Threads inherit the mask, so only sigwait() gets these signals. */
    pthread_sigmask(SIG_BLOCK, ret_signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

struct process *process_new(const struct config *config, struct error *err)
{
    AUTO(freep) struct process *process = xcalloc(1, sizeof *process);
    char worker[PATH_MAX + 32];

    process->config = *config;
    native_command(worker, sizeof worker);
    if (!feeds_read(config->feed, &process->feeds, err) ||
        !engines_read(config->engine, worker, &process->engines, err))
        return NULL;
    if (!engines_can_start(&process->engines, err)) {
        engines_free(&process->engines);
        return NULL;
    }
    return take(&process);
}
