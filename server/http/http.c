/* Tested by tests/api/test_http.py. */
#include "server/http/http.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "server/base/log.h"
#include "server/http/access.h"
#include "server/http/connections.h"
#include "server/http/exchange.h"
#include "server/http/listener.h"
#include "server/http/reply.h"
#include "server/http/routes.h"
#include "server/http/tls_files.h"

#include <microhttpd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <time.h>

#define PIECE_MAX (1024 * 1024) /* of a streamed answer, in memory at once */
#define TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"
#define QUIESCE_ATTEMPTS 1000
#define SEND_MAX 16384 /* bytes written to the socket at once */
/* Memory of the library for one connection's header: more than exchange_admit() allows, so that
 * nearly always our own 431 answers. */
#define CONNECTION_MEMORY (HEADER_MAX + 16 * 1024)

struct http {
    int listener;
    struct tls_files tls; /* the daemon uses it until it stops */
    struct MHD_Daemon *daemon;
    struct connections *connections;
    const struct server *server;
    struct deadlines *deadlines;
    long long shortest_ns; /* shortest of the time limits */
};

/* One exchange and the connection that carries it. */
struct transfer {
    struct http *http;
    struct MHD_Connection *connection;
    struct client *client;
    bool admitted;
    struct bytes piece; /* of a stream: made, not sent yet */
    size_t piece_sent;
    struct exchange exchange; /* last: first_line() does not clear its end */
};

static void *first_line(void *user, const char *target, struct MHD_Connection *connection)
{
    struct transfer *transfer = malloc(sizeof *transfer);
    struct http *http = user;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    if (!transfer)
        return NULL;
    memset(transfer, 0, offsetof(struct transfer, exchange.request.target));
    transfer->exchange.request.query.path = "";
    transfer->exchange.request.query.count = 0;
    transfer->http = http;
    transfer->connection = connection;
    transfer->client = info ? info->socket_context : NULL;
    transfer->exchange.server = http->server;
    transfer->exchange.request.started_ns = clock_monotonic_ns();
    transfer->piece.limit = PIECE_MAX;
    snprintf(transfer->exchange.request.target, sizeof transfer->exchange.request.target, "%s",
             target);
    if (transfer->client)
        client_phase(transfer->client, PHASE_HEADER, transfer->exchange.request.started_ns);
    return transfer;
}

static void suspend(void *user)
{
    MHD_suspend_connection(((struct transfer *)user)->connection);
}

static void resume(void *user)
{
    MHD_resume_connection(((struct transfer *)user)->connection);
}

static void cut(void *user)
{
    struct transfer *transfer = user;

    connections_cut(transfer->http->connections, transfer->client);
}

static bool is_secure(const struct http *http)
{
    return http->tls.certificate.used > 0;
}

static int descriptor_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

/* The library does not watch a suspended connection, so handlers poll this. */
static bool is_gone(const struct exchange *exchange)
{
    const struct transfer *transfer = exchange->watcher.user;

    return listener_has_left(descriptor_of(transfer->connection), is_secure(transfer->http));
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static void read_headers(struct transfer *transfer, const char *method)
{
    struct MHD_Connection *connection = transfer->connection;
    struct exchange *exchange = &transfer->exchange;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);

    exchange->request.method = method;
    exchange->request.headers = (struct request_headers){
        .accept = header(connection, MHD_HTTP_HEADER_ACCEPT),
        .accept_encoding = header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING),
        .authorization = header(connection, MHD_HTTP_HEADER_AUTHORIZATION),
        .content_type = header(connection, MHD_HTTP_HEADER_CONTENT_TYPE),
        .content_length = header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH),
        .idempotency_key = header(connection, "Idempotency-Key"),
        .last_event_id = header(connection, "Last-Event-ID"),
        .if_none_match = header(connection, "If-None-Match"),
        .prefer = header(connection, "Prefer"),
        .chunked = header(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL,
        .bytes = info ? info->header_size : 0,
    };
    exchange->watcher.suspend = suspend;
    exchange->watcher.resume = resume;
    exchange->watcher.cut = cut;
    exchange->watcher.user = transfer;
    exchange->is_gone = is_gone;
    exchange->request.peer =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
}

/* Copies out as much of the current piece as fits. */
static ssize_t send_piece(struct transfer *transfer, char *buffer, size_t size)
{
    size_t left = transfer->piece.used - transfer->piece_sent;
    size_t length = left < size ? left : size;

    memcpy(buffer, transfer->piece.data + transfer->piece_sent, length);
    transfer->piece_sent += length;
    if (transfer->piece_sent == transfer->piece.used) {
        transfer->piece.used = 0;
        transfer->piece_sent = 0;
    }
    return (ssize_t)length;
}

static ssize_t read_stream(void *user, uint64_t position, char *buffer, size_t size)
{
    struct transfer *transfer = user;
    const struct stream *stream = &transfer->exchange.reply.stream;

    (void)position;
    while (transfer->piece.used == 0) {
        switch (stream->next(stream->state, &transfer->exchange, &transfer->piece)) {
        case STREAM_MORE:
            break;
        case STREAM_WAIT:
            return 0; /* the connection is suspended: no busy loop */
        case STREAM_END:
            return MHD_CONTENT_READER_END_OF_STREAM;
        default:
            return MHD_CONTENT_READER_END_WITH_ERROR;
        }
    }
    return send_piece(transfer, buffer, size);
}

static struct MHD_Response *make_response(struct transfer *transfer)
{
    struct reply *reply = &transfer->exchange.reply;
    struct MHD_Response *response;

    if (reply->stream.next)
        return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, SEND_MAX, read_stream,
                                                 transfer, NULL);
    if (reply->fixed_body)
        return MHD_create_response_from_buffer(
            reply->fixed_size, (void *)(size_t)reply->fixed_body, MHD_RESPMEM_PERSISTENT);
    if (reply->body.used == 0)
        return MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    response = MHD_create_response_from_buffer(reply->body.used, reply->body.data,
                                               MHD_RESPMEM_MUST_FREE);
    if (response)
        reply->body.data = NULL; /* the library frees it */
    return response;
}

static void add_headers(const struct transfer *transfer, struct MHD_Response *response)
{
    const struct reply *reply = &transfer->exchange.reply;

    if (reply->content_type)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply->content_type);
    for (int i = 0; i < reply->field_count; i++)
        MHD_add_response_header(response, reply->fields[i].name, reply->fields[i].value);
    for (size_t i = 0; i < reply_shield_count; i++)
        if (!reply_has_field(reply, reply_shields[i].name) &&
            (is_secure(transfer->http) || !reply_shields[i].secure_only))
            MHD_add_response_header(response, reply_shields[i].name, reply_shields[i].value);
}

static enum MHD_Result send_reply(struct transfer *transfer)
{
    struct reply *reply = &transfer->exchange.reply;
    struct MHD_Response *response = make_response(transfer);
    enum MHD_Result result;

    access_audit(&transfer->exchange); /* before the answer is sent */
    if (!response)
        return MHD_NO;
    add_headers(transfer, response);
    client_phase(transfer->client, PHASE_ANSWER, clock_monotonic_ns());
    if (reply->stream.is_live)
        listener_hold_little(descriptor_of(transfer->connection));
    result = MHD_queue_response(transfer->connection, (unsigned)reply->status, response);
    MHD_destroy_response(response);
    return result;
}

/* Called when the header is complete. */
static enum MHD_Result begin(struct transfer *transfer, const char *method)
{
    transfer->admitted = true;
    read_headers(transfer, method);
    client_phase(transfer->client, PHASE_BODY, clock_monotonic_ns());
    exchange_admit(&transfer->exchange);
    if (exchange_answers_early(&transfer->exchange))
        return send_reply(transfer);
    return MHD_YES;
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *size, void **state)
{
    struct transfer *transfer = *state;

    (void)user, (void)connection, (void)url, (void)version;
    if (!transfer || !transfer->client)
        return MHD_NO;
    if (!transfer->admitted)
        return begin(transfer, method);
    if (*size > 0) {
        exchange_take_body(&transfer->exchange, data, *size);
        *size = 0;
        return MHD_YES;
    }
    if (transfer->exchange.reply.status == 0) {
        /* From here on the client waits for the server. */
        client_phase(transfer->client, PHASE_ANSWER, clock_monotonic_ns());
        exchange_answer(&transfer->exchange);
        if (transfer->exchange.hold.waits)
            return MHD_YES; /* suspended; we are called again when it is resumed */
    }
    return send_reply(transfer);
}

static void on_completed(void *user, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode why)
{
    struct transfer *transfer = *state;
    struct http *http = user;
    long long now_ns = clock_monotonic_ns();

    (void)connection;
    if (!transfer)
        return;
    if (transfer->exchange.reply.status != 0) {
        const struct route *route = transfer->exchange.request.match.route;

        metrics_request(http->server->metrics, route ? (size_t)(route - routes) : route_count,
                        transfer->exchange.reply.status,
                        now_ns - transfer->exchange.request.started_ns);
        log_line(LOG_DEBUG, "%s %s status=%d us=%lld", transfer->exchange.request.method,
                 transfer->exchange.request.query.path, transfer->exchange.reply.status,
                 (now_ns - transfer->exchange.request.started_ns) / 1000);
    }
    exchange_done(&transfer->exchange);
    bytes_free(&transfer->piece);
    if (transfer->client && why == MHD_REQUEST_TERMINATED_COMPLETED_OK)
        client_phase(transfer->client, PHASE_REST, now_ns);
    free(transfer);
    *state = NULL;
}

static void on_connection(void *user, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode what)
{
    struct http *http = user;
    long long now_ns = clock_monotonic_ns();

    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (*socket_context)
            connections_remove(http->connections, *socket_context);
        *socket_context = NULL;
        return;
    }
    /* libmicrohttpd 1 reuses one buffer for these results: copy before the next call. */
    int descriptor = descriptor_of(connection);
    const struct sockaddr *address =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;

    *socket_context = connections_add(http->connections, descriptor, address, now_ns);
    if (*socket_context)
        deadlines_wake_by(http->deadlines, now_ns + http->shortest_ns);
    else
        shutdown(descriptor, SHUT_RDWR);
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

static void cut_descriptor(int descriptor)
{
    shutdown(descriptor, SHUT_RDWR);
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
                              on_request, NULL, MHD_OPTION_EXTERNAL_LOGGER, on_log, NULL,
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
    struct http *http = calloc(1, sizeof *http);
    const struct connection_limits limits = {
        .most = (size_t)config->max_connections,
        .most_per_address = (size_t)config->max_connections_per_address,
        .rest_ns = config->idle_seconds * NS_PER_SECOND,
        .header_ns = config->header_seconds * NS_PER_SECOND,
        .body_ns = config->body_seconds * NS_PER_SECOND,
    };

    if (!http) {
        error_no_memory(err);
        return NULL;
    }
    http->shortest_ns = connection_limits_shortest(&limits);
    http->listener = -1;
    if (tls_files_read(config, &http->tls, err) && check_pair(http, err))
        http->listener = listener_open(config, err);
    http->connections = connections_new(&limits, cut_descriptor);
    if (!http->connections)
        error_no_memory(err);
    if (http->listener < 0 || !http->connections) {
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

    http->server = server;
    http->deadlines = deadlines;
    http->daemon = MHD_start_daemon(
        flags | MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0,
        NULL, NULL, on_request, http, MHD_OPTION_EXTERNAL_LOGGER, on_log, NULL, MHD_OPTION_ARRAY,
        items, MHD_OPTION_LISTEN_SOCKET, http->listener, MHD_OPTION_THREAD_POOL_SIZE,
        threads > 1 ? threads : 0u, MHD_OPTION_CONNECTION_LIMIT, limit,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)config->idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
        MHD_OPTION_URI_LOG_CALLBACK, first_line, http, MHD_OPTION_NOTIFY_COMPLETED, on_completed,
        http, MHD_OPTION_NOTIFY_CONNECTION, on_connection, http, MHD_OPTION_END);
    if (!http->daemon)
        return error_set(err, ERROR_INTERNAL, NULL, "libmicrohttpd does not start");
    return true;
}

long long http_tick(struct http *http, long long now_ns)
{
    return connections_tick(http->connections, now_ns);
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

void http_drain(struct http *http, long long patience_ns)
{
    const struct timespec moment = {.tv_nsec = 2 * NS_PER_MS};
    long long deadline = clock_monotonic_ns() + patience_ns;

    while (connections_answering(http->connections) > 0 && clock_monotonic_ns() < deadline)
        nanosleep(&moment, NULL);
}

void http_stop(struct http *http)
{
    if (!http)
        return;
    if (http->daemon)
        MHD_stop_daemon(http->daemon);
    connections_free(http->connections);
    closep(&http->listener);
    tls_files_clear(&http->tls);
    free(http);
}
