/* pennyworth: reads its options, starts the parts in order, waits for a signal, stops them in
 * reverse. */
#include "common/cleanup.h"
#include "common/clock.h"
#include "server/http.h"
#include "server/log.h"
#include "server/openapi.h"
#include "server/published.h"
#include "server/routes.h"
#include "server/server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#ifndef PENNYWORTH_VERSION
#define PENNYWORTH_VERSION "unknown"
#endif

#define SLOW_READER_NS (10 * NS_PER_SECOND)
#define DRAIN_NS NS_PER_SECOND /* for the answers on their way when we stop */

/* Everything that lives as long as the process. */
struct process {
    struct config config;
    struct engines engines;
    struct here here;
    struct feeds feeds;
    struct server server;
    struct room room;
    struct sentry *sentry;
    struct http *http;
    int lock;
};

static long long tick(void *user, long long now_ns)
{
    struct process *process = user;
    long long live = live_tick(process->server.live, now_ns);
    long long http = http_tick(process->http, now_ns);

    return live < http ? live : http;
}

static void wake_by(void *user, long long when_ns)
{
    sentry_wake_by(((struct process *)user)->sentry, when_ns);
}

/* Makes the directories above `path`; what is there already is left as it is. */
static bool make_directories(const char *path, struct error *err)
{
    AUTO(freep) char *directory = strdup(path);

    if (!directory)
        return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    for (char *slash = strchr(directory + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(directory, 0700) != 0 && errno != EEXIST)
            return error_set(err, ERROR_INVALID, "--database", "cannot make %s: %s", directory,
                             strerror(errno));
        *slash = '/';
    }
    return true;
}

/* Connections are files: asks for as many as they may need, and makes do with what there is. */
static void make_room(struct config *config)
{
    const long long others = 128 + 8 * config->http_threads;
    rlim_t wanted = (rlim_t)(config->max_connections + others);
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= wanted)
        return;
    files.rlim_cur = files.rlim_max < wanted ? files.rlim_max : wanted;
    (void)!setrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_cur >= wanted)
        return;
    config->max_connections =
        (long long)files.rlim_cur > others + 8 ? (long long)files.rlim_cur - others : 8;
    log_line(LOG_INFO, "only %lld connections at once: no more than %lld files may be open",
             config->max_connections, (long long)files.rlim_cur);
}

/* The worker that was installed beside this program. */
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

static bool can_run(const void *user, const struct run_spec *spec, struct error *err)
{
    return engines_can(user, spec, err);
}

static bool load_published(struct process *process, struct error *err)
{
    AUTO(db_loan_end) struct db_loan loan = {0};

    if (strcmp(process->config.published, "on") != 0)
        return true;
    loan = db_borrow(process->server.pool);
    return published_load(loan.db, clock_calendar_us(), err);
}

static bool start_parts(struct process *process, struct error *err)
{
    struct server *server = &process->server;
    const struct config *config = &process->config;
    char worker[PATH_MAX + 32];

    native_command(worker, sizeof worker);
    if (!here_look(&process->here, err))
        return false;
    process->here.place.can = can_run;
    process->here.place.user = &process->engines;
    server->here = &process->here;
    server->feeds = &process->feeds;
    server->room = &process->room;
    server->config = config;
    server->engines = &process->engines;
    server->openapi.limit = 1024 * 1024;
    if (!feeds_read(config->feed, &process->feeds, err) ||
        !engines_read(config->engine, worker, &process->engines, err) ||
        !openapi_make(&process->engines, &server->openapi, err) ||
        !make_directories(config->database, err))
        return false;
    /* The port before the database: whoever starts us twice is told of the port. */
    process->http = http_listen(config, err);
    if (!process->http || (process->lock = db_lock(config->database, err)) < 0)
        return false;
    server->pool = db_pool_open(config->database, (size_t)config->http_threads, err);
    if (!server->pool || !load_published(process, err))
        return false;
    server->metrics = metrics_new(routes, route_count);
    server->whoami = whoami_new(config, err);
    server->board = board_new(err);
    server->answers = answers_new();
    server->live = live_new(SLOW_READER_NS, wake_by, process);
    if (!server->whoami || !server->board)
        return false;
    if (!server->metrics || !server->live || !server->answers)
        return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    process->sentry = sentry_start(tick, process, err);
    if (!process->sentry)
        return false;
    server->runner = runner_start(&(struct runner_parts){.config = config,
                                                         .engines = &process->engines,
                                                         .here = &process->here,
                                                         .live = server->live,
                                                         .metrics = server->metrics,
                                                         .whoami = server->whoami},
                                  err);
    if (!server->runner)
        return false;
    server->refresher = refresher_start(&(struct refresher_parts){.config = config,
                                                                  .feeds = &process->feeds,
                                                                  .whoami = server->whoami},
                                        err);
    return server->refresher && http_start(process->http, server, process->sentry, err);
}

static void stop_parts(struct process *process)
{
    struct server *server = &process->server;

    refresher_stop(server->refresher);
    runner_stop(server->runner);
    if (server->live)
        live_close(server->live, clock_monotonic_ns());
    if (process->http)
        http_drain(process->http, DRAIN_NS);
    sentry_stop(process->sentry);
    http_stop(process->http);
    sentry_free(process->sentry);
    runner_free(server->runner);
    refresher_free(server->refresher);
    answers_free(server->answers);
    board_free(server->board);
    whoami_free(server->whoami);
    live_free(server->live);
    metrics_free(server->metrics);
    db_pool_free(server->pool);
    bytes_free(&server->openapi);
    engines_free(&process->engines);
    here_clear(&process->here);
    closep(&process->lock);
}

/* Whoever starts us with one of these closed would have a socket or the database take its place,
 * and our log written into it. */
static void hold_standard_streams(void)
{
    for (int descriptor = 0; descriptor <= 2; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0)
            (void)!open("/dev/null", O_RDWR);
}

static void block_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGHUP);
    /* Blocked before any thread is made, so that every thread has them blocked and only
     * sigwait() sees them. */
    pthread_sigmask(SIG_BLOCK, set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static int serve(struct process *process)
{
    struct error err = {0};
    sigset_t signals;
    int received;

    block_signals(&signals);
    make_room(&process->config);
    if (!start_parts(process, &err)) {
        fprintf(stderr, "pennyworth: %s%s%s\n", err.field, err.field[0] ? " " : "", err.message);
        stop_parts(process);
        return 1;
    }
    log_line(LOG_INFO, "listening on http://%s:%d database=%s", process->config.listen,
             http_port(process->http), process->config.database);
    sigwait(&signals, &received);
    log_line(LOG_INFO, "stopping on signal %d", received);
    http_quiesce(process->http);
    stop_parts(process);
    return 0;
}

int main(int argc, char *argv[])
{
    AUTO(freep) struct process *process = calloc(1, sizeof *process);
    struct error err = {0};

    if (!process)
        return 1;
    process->lock = -1;
    hold_standard_streams();
    db_setup();
    switch (config_read(argc, argv, environ, &process->config, &err)) {
    case CONFIG_HELP:
        config_help(stdout);
        return 0;
    case CONFIG_VERSION:
        puts("pennyworth " PENNYWORTH_VERSION);
        return 0;
    case CONFIG_WRONG:
        fprintf(stderr, "pennyworth: %s %s\n", err.field, err.message);
        return 2;
    default:
        log_set_level(strcmp(process->config.log, "debug") == 0   ? LOG_DEBUG
                      : strcmp(process->config.log, "error") == 0 ? LOG_ERROR
                                                                  : LOG_INFO);
        return serve(process);
    }
}
