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
#define SEND_MAX 16384 /* handed to the socket at once */
/* What one connection's header may take up in the library. More than exchange_admit() allows, so
 * that in all but wild cases the refusal is ours. */
#define CONNECTION_MEMORY (HEADER_MAX + 16 * 1024)

struct http {
    int listener;
    struct tls_files tls; /* in use until the end */
    struct MHD_Daemon *daemon;
    struct connections *connections;
    const struct server *server;
    struct deadlines *deadlines;
    long long shortest_ns; /* of the limits of time */
};

/* An exchange and its connection: one request. */
struct request {
    struct http *http;
    struct MHD_Connection *connection;
    struct client *client;
    bool admitted;
    struct bytes piece; /* of a stream: made, not sent yet */
    size_t piece_sent;
    struct exchange exchange; /* last, for its end is not cleared */
};

static void *first_line(void *user, const char *target, struct MHD_Connection *connection)
{
    struct request *request = malloc(sizeof *request);
    struct http *http = user;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    if (!request)
        return NULL;
    memset(request, 0, offsetof(struct request, exchange.target));
    request->exchange.query.path = "";
    request->exchange.query.count = 0;
    request->http = http;
    request->connection = connection;
    request->client = info ? info->socket_context : NULL;
    request->exchange.server = http->server;
    request->exchange.started_ns = clock_monotonic_ns();
    request->piece.limit = PIECE_MAX;
    snprintf(request->exchange.target, sizeof request->exchange.target, "%s", target);
    if (request->client)
        client_phase(request->client, PHASE_HEADER, request->exchange.started_ns);
    return request;
}

static void suspend(void *user)
{
    MHD_suspend_connection(((struct request *)user)->connection);
}

static void resume(void *user)
{
    MHD_resume_connection(((struct request *)user)->connection);
}

static void cut(void *user)
{
    struct request *request = user;

    connections_cut(request->http->connections, request->client);
}

static bool is_secure(const struct http *http)
{
    return http->tls.certificate.used > 0;
}

static int descriptor_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

/* A suspended connection is not watched by the library, so nobody would notice. */
static bool is_gone(const struct exchange *exchange)
{
    const struct request *request = exchange->watcher.user;

    return listener_has_left(descriptor_of(request->connection), is_secure(request->http));
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static void read_headers(struct request *request, const char *method)
{
    struct MHD_Connection *connection = request->connection;
    struct exchange *exchange = &request->exchange;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);

    exchange->method = method;
    exchange->headers = (struct request_headers){
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
    exchange->watcher.user = request;
    exchange->is_gone = is_gone;
    exchange->peer =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
}

/* What can be handed out of the piece at hand. */
static ssize_t send_piece(struct request *request, char *buffer, size_t size)
{
    size_t left = request->piece.used - request->piece_sent;
    size_t length = left < size ? left : size;

    memcpy(buffer, request->piece.data + request->piece_sent, length);
    request->piece_sent += length;
    if (request->piece_sent == request->piece.used) {
        request->piece.used = 0;
        request->piece_sent = 0;
    }
    return (ssize_t)length;
}

static ssize_t read_stream(void *user, uint64_t position, char *buffer, size_t size)
{
    struct request *request = user;

    (void)position;
    while (request->piece.used == 0) {
        switch (request->exchange.reply.stream.produce(&request->exchange, &request->piece)) {
        case STREAM_MORE:
            break;
        case STREAM_WAIT:
            return 0; /* the connection is suspended, so we are not asked again at once */
        case STREAM_END:
            return MHD_CONTENT_READER_END_OF_STREAM;
        default:
            return MHD_CONTENT_READER_END_WITH_ERROR;
        }
    }
    return send_piece(request, buffer, size);
}

static struct MHD_Response *make_response(struct request *request)
{
    struct reply *reply = &request->exchange.reply;
    struct MHD_Response *response;

    if (reply->stream.produce)
        return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, SEND_MAX, read_stream, request,
                                                 NULL);
    if (reply->fixed_body)
        return MHD_create_response_from_buffer(
            reply->fixed_size, (void *)(size_t)reply->fixed_body, MHD_RESPMEM_PERSISTENT);
    if (reply->body.used == 0)
        return MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    response = MHD_create_response_from_buffer(reply->body.used, reply->body.data,
                                               MHD_RESPMEM_MUST_FREE);
    if (response)
        reply->body.data = NULL; /* the library's now */
    return response;
}

static void add_headers(const struct request *request, struct MHD_Response *response)
{
    const struct reply *reply = &request->exchange.reply;

    if (reply->content_type)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply->content_type);
    for (int i = 0; i < reply->field_count; i++)
        MHD_add_response_header(response, reply->fields[i].name, reply->fields[i].value);
    for (size_t i = 0; i < reply_shield_count; i++)
        if (!reply_has_field(reply, reply_shields[i].name) &&
            (is_secure(request->http) || !reply_shields[i].secure_only))
            MHD_add_response_header(response, reply_shields[i].name, reply_shields[i].value);
}

static enum MHD_Result send_reply(struct request *request)
{
    struct reply *reply = &request->exchange.reply;
    struct MHD_Response *response = make_response(request);
    enum MHD_Result result;

    access_audit(&request->exchange); /* before the answer leaves */
    if (!response)
        return MHD_NO;
    add_headers(request, response);
    client_phase(request->client, PHASE_ANSWER, clock_monotonic_ns());
    if (reply->stream.is_live)
        listener_hold_little(descriptor_of(request->connection));
    result = MHD_queue_response(request->connection, (unsigned)reply->status, response);
    MHD_destroy_response(response);
    return result;
}

/* The header is whole. */
static enum MHD_Result begin(struct request *request, const char *method)
{
    request->admitted = true;
    read_headers(request, method);
    client_phase(request->client, PHASE_BODY, clock_monotonic_ns());
    exchange_admit(&request->exchange);
    if (exchange_answers_early(&request->exchange))
        return send_reply(request);
    return MHD_YES;
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *size, void **state)
{
    struct request *request = *state;

    (void)user, (void)connection, (void)url, (void)version;
    if (!request || !request->client)
        return MHD_NO;
    if (!request->admitted)
        return begin(request, method);
    if (*size > 0) {
        exchange_take_body(&request->exchange, data, *size);
        *size = 0;
        return MHD_YES;
    }
    if (request->exchange.reply.status == 0) {
        /* From here on we make it wait, not it us. */
        client_phase(request->client, PHASE_ANSWER, clock_monotonic_ns());
        exchange_answer(&request->exchange);
        if (request->exchange.reply.hold)
            return MHD_YES; /* suspended; we are called again when it is resumed */
    }
    return send_reply(request);
}

static void on_completed(void *user, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode why)
{
    struct request *request = *state;
    struct http *http = user;
    long long now_ns = clock_monotonic_ns();

    (void)connection;
    if (!request)
        return;
    if (request->exchange.reply.status != 0) {
        const struct route *route = request->exchange.match.route;

        metrics_request(http->server->metrics, route ? (size_t)(route - routes) : route_count,
                        request->exchange.reply.status, now_ns - request->exchange.started_ns);
        log_line(LOG_DEBUG, "%s %s status=%d us=%lld", request->exchange.method,
                 request->exchange.query.path, request->exchange.reply.status,
                 (now_ns - request->exchange.started_ns) / 1000);
    }
    exchange_done(&request->exchange);
    bytes_free(&request->piece);
    if (request->client && why == MHD_REQUEST_TERMINATED_COMPLETED_OK)
        client_phase(request->client, PHASE_REST, now_ns);
    free(request);
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
    /* Each answer is gone with the next question: libmicrohttpd 1 keeps them in one place. */
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

/* With what these start a daemon is served over TLS, or not. */
#define TLS_OPTIONS 4
static unsigned tls_options(const struct http *http, struct MHD_OptionItem ret_items[TLS_OPTIONS])
{
    /* The library takes no constant pointers; it changes nothing. */
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

/* Tries certificate and key on a daemon that has no socket and no thread, before anything begins
 * that would have to be ended again. */
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
    /* The library shares its limit out among its threads, and the kernel deals connections to
     * them unevenly; ours is kept by connections_add(), this one only has to be larger. */
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

/* Where the thread that quiesces goes on when the library gives up. */
static _Thread_local jmp_buf *again;

/* A worker that wakes while MHD_quiesce_daemon() is at it takes the listener out of its epoll set
 * first, and the library takes that for the end of the world. All else is. */
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
    volatile int left = QUIESCE_ATTEMPTS; /* it takes one more, as a rule */

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
