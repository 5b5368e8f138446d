/* Tested by tests/api/test_http.py. */
#include "server/http/http.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "server/base/log.h"
#include "server/http/edge/listener.h"
#include "server/http/edge/tls_files.h"
#include "server/http/transfer.h"

#include <microhttpd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <time.h>

#define TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"
#define QUIESCE_ATTEMPTS 1000
#define FINISH_NS (2 * NS_PER_SECOND) /* for connections to end before the library is stopped */
/* Memory of the library for one connection's header: more than exchange_admit() allows, so that
 * nearly always our own 431 answers. */
#define CONNECTION_MEMORY (HEADER_MAX + 16 * 1024)

/* Level 1 refuses lines that are folded or end without CR LF. Before version 1 it accepts them
 * and sends refusals twice, so there only transfer.c checks. */
#define STRICT (MHD_VERSION < 0x01000000 ? 0 : 1)

struct http {
    int listener;
    struct tls_files tls; /* the daemon uses it until it stops */
    struct MHD_Daemon *daemon;
    struct transport transport;
};

static bool is_secure(const struct http *http)
{
    return http->tls.certificate.used > 0;
}

static void on_log(void *user, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

static void on_log(void *user, const char *format, va_list arguments)
{
    char text[512];

    (void)user;
    vsnprintf(text, sizeof text, format, arguments);
    text[strcspn(text, "\n")] = '\0';
    log_line(LOG_DEBUG, "libmicrohttpd: %s", text);
}

/* Fills in the daemon's options for TLS, if configured; returns its flags. */
#define TLS_OPTIONS 4
static unsigned tls_options(const struct http *http, struct MHD_OptionItem ret_items[TLS_OPTIONS])
{
    /* The casts drop const: the library takes plain pointers but does not write. */
    struct MHD_OptionItem items[TLS_OPTIONS] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, http->tls.certificate.data},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, http->tls.key.data},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(size_t)TLS_PRIORITIES},
        {MHD_OPTION_END, 0, NULL},
    };

    if (!is_secure(http))
        items[0] = items[TLS_OPTIONS - 1];
    memcpy(ret_items, items, sizeof items);
    return is_secure(http) ? MHD_USE_TLS : 0;
}

/* Checks that certificate and key match, by a daemon without socket and threads, before any other
 * part starts. */
static bool check_pair(const struct http *http, struct error *err)
{
    struct MHD_OptionItem items[TLS_OPTIONS];
    unsigned flags = tls_options(http, items);
    struct MHD_Daemon *daemon;

    if (!flags)
        return true;
    if (MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES)
        return error_set(err, ERROR_INVALID, "--tls-certificate",
                         "the libmicrohttpd that is installed here was built without TLS");
    daemon = MHD_start_daemon(flags | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ERROR_LOG, 0, NULL, NULL,
                              transfer_on_request, NULL, MHD_OPTION_EXTERNAL_LOGGER, on_log, NULL,
                              MHD_OPTION_ARRAY, items, MHD_OPTION_END);
    if (!daemon)
        return error_set(err, ERROR_INVALID, "--tls-key",
                         "the certificate and the key cannot be used: they do not belong "
                         "together, or one of them is damaged");
    MHD_stop_daemon(daemon);
    return true;
}

struct http *http_listen(const struct config *config, struct error *err)
{
    struct http *http = xcalloc(1, sizeof *http);
    const struct connection_limits limits = {
        .most = (size_t)config->max_connections,
        .most_per_address = (size_t)config->max_connections_per_address,
        .rest_ns = config->idle_seconds * NS_PER_SECOND,
        .header_ns = config->header_seconds * NS_PER_SECOND,
        .body_ns = config->body_seconds * NS_PER_SECOND,
        .send_ns = config->send_seconds * NS_PER_SECOND,
    };
    const struct connection_calls calls = {listener_cut, listener_finish, listener_taken};

    http->transport.shortest_ns = connection_limits_shortest(&limits);
    http->listener = -1;
    if (tls_files_read(config, &http->tls, err) && check_pair(http, err))
        http->listener = listener_open(config, err);
    http->transport.connections = connections_new(&limits, &calls);
    if (http->listener < 0) {
        http_stop(http);
        return NULL;
    }
    return http;
}

int http_port(const struct http *http)
{
    return listener_port(http->listener);
}

bool http_start(struct http *http, const struct server *server, struct deadlines *deadlines,
                struct error *err)
{
    const struct config *config = server->config;
    unsigned threads = (unsigned)config->http_threads;
    /* The library divides its limit among its threads, and the kernel spreads connections
     * unevenly over them. connections_add() keeps our limit; this one only has to be larger. */
    unsigned limit = (unsigned)config->max_connections * (threads + 1);
    struct MHD_OptionItem items[TLS_OPTIONS];
    unsigned flags = tls_options(http, items);

    http->transport.server = server;
    http->transport.deadlines = deadlines;
    http->transport.secure = is_secure(http);
    http->daemon = MHD_start_daemon(
        flags | MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0,
        NULL, NULL, transfer_on_request, &http->transport, MHD_OPTION_EXTERNAL_LOGGER, on_log,
        NULL, MHD_OPTION_ARRAY, items, MHD_OPTION_STRICT_FOR_CLIENT, STRICT,
        MHD_OPTION_LISTEN_SOCKET, http->listener, MHD_OPTION_THREAD_POOL_SIZE,
        threads > 1 ? threads : 0u, MHD_OPTION_CONNECTION_LIMIT, limit,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)config->idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
        MHD_OPTION_URI_LOG_CALLBACK, transfer_first_line, &http->transport,
        MHD_OPTION_NOTIFY_COMPLETED, transfer_on_completed, &http->transport,
        MHD_OPTION_NOTIFY_CONNECTION, transfer_on_connection, &http->transport, MHD_OPTION_END);
    if (!http->daemon)
        return error_set(err, ERROR_INTERNAL, NULL, "libmicrohttpd does not start");
    return true;
}

long long http_tick(struct http *http, long long now_ns)
{
    return connections_tick(http->transport.connections, now_ns);
}

/* Where http_quiesce() continues after a panic of the library. */
static _Thread_local jmp_buf *again;

/* During MHD_quiesce_daemon() a worker that wakes may remove the listener from its epoll set
 * first; the library panics, though this is harmless. Any other panic aborts. */
static void on_panic(void *user, const char *file, unsigned line, const char *reason)
{
    (void)user;
    if (again && strstr(reason, "listen FD"))
        longjmp(*again, 1);
    log_line(LOG_ERROR, "libmicrohttpd gave up: %s:%u: %s", file, line, reason);
    abort();
}

void http_quiesce(struct http *http)
{
    const struct timespec moment = {.tv_nsec = NS_PER_MS};
    jmp_buf here;
    volatile int left = QUIESCE_ATTEMPTS; /* one retry usually suffices */

    MHD_set_panic_func(on_panic, NULL);
    if (setjmp(here) != 0)
        nanosleep(&moment, NULL);
    again = left-- > 0 ? &here : NULL;
    http->listener = MHD_quiesce_daemon(http->daemon);
    again = NULL;
}

/* Waits until left() is 0. */
static void wait_for_none(struct http *http, size_t (*left)(struct connections *connections),
                          long long patience_ns)
{
    const struct timespec moment = {.tv_nsec = 2 * NS_PER_MS};
    long long deadline = clock_monotonic_ns() + patience_ns;

    while (left(http->transport.connections) > 0 && clock_monotonic_ns() < deadline)
        nanosleep(&moment, NULL);
}

void http_drain(struct http *http, long long patience_ns)
{
    wait_for_none(http, connections_answering, patience_ns);
}

void http_stop(struct http *http)
{
    if (!http)
        return;
    if (http->daemon) {
        /* The library crashes when it is stopped while it refuses a malformed request: its
         * MHD_queue_response() then says yes and takes nothing (0.9.75). */
        wait_for_none(http, connections_finish, FINISH_NS);
        MHD_stop_daemon(http->daemon);
    }
    connections_free(http->transport.connections);
    closep(&http->listener);
    tls_files_clear(&http->tls);
    free(http);
}
