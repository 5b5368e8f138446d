#include "server/cli/serve.h"

#include "common/cleanup.h"
#include "server/base/log.h"
#include "server/cli/config/config_check.h"
#include "server/cli/process.h"
#include "server/http/http.h"

#include <signal.h>
#include <sys/resource.h>

/* Each connection needs a descriptor: raises the limit, and lowers --max-connections to what the
 * system grants. Without those that the database and a worker need, every accept and every run
 * would fail, again and again. */
static bool make_room(struct config *config, struct error *err)
{
    const long long least = 64 + 8 * config->http_threads;
    const long long others = 128 + 8 * config->http_threads;
    rlim_t wanted = (rlim_t)(config->max_connections + others);
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= wanted)
        return true;
    files.rlim_cur = files.rlim_max < wanted ? files.rlim_max : wanted;
    (void)!setrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_cur >= wanted)
        return true;
    if ((long long)files.rlim_cur < least)
        return error_set(
            err, ERROR_INTERNAL, NULL,
            "no more than %lld files may be open here (ulimit -n, LimitNOFILE=): the "
            "server needs %lld, and one for each connection",
            (long long)files.rlim_cur, least);
    config->max_connections =
        (long long)files.rlim_cur > others + 8 ? (long long)files.rlim_cur - others : 8;
    log_line(LOG_INFO, "only %lld connections at once: no more than %lld files may be open",
             config->max_connections, (long long)files.rlim_cur);
    return true;
}

static void tell_address(const struct process *process)
{
    const struct config *config = &process->config;
    bool secure = config->tls_certificate[0];

    if (!secure && !config_is_loopback(config->listen))
        log_line(LOG_INFO,
                 "warning: without --tls-certificate tokens travel in the clear, unless "
                 "something in front of this speaks TLS");
    log_line(LOG_INFO, "listening on %s://%s:%d database=%s", secure ? "https" : "http",
             config->listen, http_port(process->http), config->database);
}

int serve_command(const struct config *config)
{
    AUTO(freep) struct process *process = NULL;
    struct error err = {0};
    sigset_t signals;
    int received = 0;

    process = process_new(config, &err);
    if (!process)
        return command_refused(&err);
    process_block_signals(&signals);
    if (!make_room(&process->config, &err) || !process_begin(process, true, &err)) {
        process_end(process);
        return command_failed(&err);
    }
    tell_address(process);
    while (sigwait(&signals, &received) == 0 && received == SIGHUP)
        process_reload(process);
    log_line(LOG_INFO, "stopping on signal %d", received);
    http_quiesce(process->http);
    process_end(process);
    return 0;
}
