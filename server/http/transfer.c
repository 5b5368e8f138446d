/* Tested by tests/api/test_http.py and tests/attack/test_parameters.py. */
#include "server/http/transfer.h"

#include "common/clock.h"
#include "common/memory.h"
#include "server/base/log.h"
#include "server/http/access.h"
#include "server/http/edge/framing.h"
#include "server/http/edge/listener.h"
#include "server/http/exchange.h"
#include "server/http/reply.h"
#include "server/http/routes.h"
#include "server/http/server.h"
#include "server/keys/signing.h"

#include <stdlib.h>
#include <string.h>

#define PIECE_MAX (1024 * 1024) /* of a streamed answer, in memory at once */
#define SEND_MAX 16384          /* bytes written to the socket at once */

/* A connection, which owns its exchange: if the library gives up a request, it does not call the
 * completion function. */
struct carrier {
    struct client *client;
    struct transfer *transfer; /* NULL between requests */
};

struct transfer {
    const struct transport *transport;
    struct carrier *carrier;
    struct MHD_Connection *connection;
    bool admitted;
    bool stream_waits;    /* for its next piece */
    size_t target_length; /* as sent */
    struct bytes piece;   /* of a stream: made, not sent yet */
    size_t piece_sent;
    struct answer_part part;  /* of the budget: for the body, or for the piece */
    struct exchange exchange; /* last: first_line() does not clear its end */
};

static void transfer_free(struct transfer *transfer)
{
    if (!transfer)
        return;
    exchange_done(&transfer->exchange);
    bytes_free(&transfer->piece);
    answer_budget_leave(transfer->transport->server->answer_budget, &transfer->part);
    free(transfer);
}

/* The library would store the parameters in the connection's memory, at many times their size,
 * and fails if that is too small. So it gets none: query_read() parses `target`. */
static void hide_parameters(const char *target)
{
    char *mark = strchr((char *)(size_t)target, '?');

    if (mark && mark[1])
        mark[1] = '\0';
}

void *transfer_first_line(void *user, const char *target, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct carrier *carrier = info ? info->socket_context : NULL;
    struct transfer *transfer = carrier ? xmalloc(sizeof *transfer) : NULL;

    if (!transfer)
        return NULL;
    memset(transfer, 0, offsetof(struct transfer, exchange.request.target));
    transfer->exchange.request.query.path = "";
    transfer->exchange.request.query.count = 0;
    transfer->transport = user;
    transfer->carrier = carrier;
    transfer->connection = connection;
    transfer->exchange.server = transfer->transport->server;
    transfer->exchange.request.started_ns = clock_monotonic_ns();
    transfer->piece.limit = PIECE_MAX;
    transfer->target_length = strlen(target);
    snprintf(transfer->exchange.request.target, sizeof transfer->exchange.request.target, "%s",
             target);
    hide_parameters(target);
    transfer_free(carrier->transfer);
    carrier->transfer = transfer;
    client_phase(carrier->client, PHASE_HEADER, transfer->exchange.request.started_ns);
    return transfer;
}

static void transfer_suspend(void *user)
{
    MHD_suspend_connection(((struct transfer *)user)->connection);
}

static void transfer_resume(void *user)
{
    MHD_resume_connection(((struct transfer *)user)->connection);
}

static void transfer_cut(void *user)
{
    struct transfer *transfer = user;

    connections_cut(transfer->transport->connections, transfer->carrier->client);
}

static int descriptor_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

/* The library does not watch a suspended connection, so handlers poll this. */
static bool is_gone(const struct exchange *exchange)
{
    const struct transfer *transfer = exchange->watcher.user;

    return listener_has_left(descriptor_of(transfer->connection));
}

static bool may_hold(const struct exchange *exchange)
{
    const struct transfer *transfer = exchange->watcher.user;

    return connections_hold(transfer->transport->connections, transfer->carrier->client,
                            clock_monotonic_ns());
}

static const char *transfer_header(struct MHD_Connection *connection, const char *name)
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
        .accept = transfer_header(connection, MHD_HTTP_HEADER_ACCEPT),
        .accept_encoding = transfer_header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING),
        .authorization = transfer_header(connection, MHD_HTTP_HEADER_AUTHORIZATION),
        .content_type = transfer_header(connection, MHD_HTTP_HEADER_CONTENT_TYPE),
        .content_length = transfer_header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH),
        .idempotency_key = transfer_header(connection, "Idempotency-Key"),
        .key_proof = transfer_header(connection, PROOF_HEADER),
        .last_event_id = transfer_header(connection, "Last-Event-ID"),
        .if_none_match = transfer_header(connection, "If-None-Match"),
        .prefer = transfer_header(connection, "Prefer"),
        .host = transfer_header(connection, MHD_HTTP_HEADER_HOST),
        .forwarded_proto = transfer_header(connection, "X-Forwarded-Proto"),
        .forwarded_prefix = transfer_header(connection, "X-Forwarded-Prefix"),
        .origin = transfer_header(connection, "Origin"),
        .fetch_site = transfer_header(connection, "Sec-Fetch-Site"),
        .expects = transfer_header(connection, MHD_HTTP_HEADER_EXPECT) != NULL,
        .chunked = transfer_header(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL,
        .bytes = info ? info->header_size : 0,
    };
    exchange->watcher.suspend = transfer_suspend;
    exchange->watcher.resume = transfer_resume;
    exchange->watcher.cut = transfer_cut;
    exchange->watcher.user = transfer;
    exchange->is_gone = is_gone;
    exchange->may_hold = may_hold;
    exchange->request.peer =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
}

static struct answer_budget *budget_of(const struct transfer *transfer)
{
    return transfer->transport->server->answer_budget;
}

/* A large answer counts from here on, or is refused. */
static void hold_body(struct transfer *transfer)
{
    struct bytes *body = &transfer->exchange.reply.body;
    struct error err = {0};

    if (body->used > ANSWER_SMALL)
        bytes_fit(body);
    transfer->part.shares = true;
    transfer->part.client = client_address_of(transfer->exchange.request.peer);
    if (!answer_budget_hold(budget_of(transfer), &transfer->part, body->used, &err))
        reply_error(&transfer->exchange, &err);
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
        if (transfer->piece.size > ANSWER_SMALL)
            bytes_free(&transfer->piece);
        answer_budget_leave(budget_of(transfer), &transfer->part);
    }
    return (ssize_t)length;
}

/* While the next piece is made, the client's deadline is suspended. */
static void note_wait(struct transfer *transfer, bool waits)
{
    if (transfer->stream_waits != waits && !transfer->exchange.reply.stream.is_live)
        client_phase(transfer->carrier->client, waits ? PHASE_HOLD : PHASE_SEND,
                     clock_monotonic_ns());
    transfer->stream_waits = waits;
}

static ssize_t read_stream(void *user, uint64_t position, char *buffer, size_t size)
{
    struct transfer *transfer = user;
    const struct stream *stream = &transfer->exchange.reply.stream;
    struct error err = {0};

    (void)position;
    while (transfer->piece.used == 0) {
        switch (stream->next(stream->state, &transfer->exchange, &transfer->piece)) {
        case STREAM_MORE:
            note_wait(transfer, false);
            break;
        case STREAM_WAIT:
            note_wait(transfer, true);
            return 0; /* the connection is suspended: no busy loop */
        case STREAM_END:
            return MHD_CONTENT_READER_END_OF_STREAM;
        default:
            return MHD_CONTENT_READER_END_WITH_ERROR;
        }
    }
    if (transfer->piece_sent == 0 &&
        !answer_budget_hold(budget_of(transfer), &transfer->part, transfer->piece.used, &err))
        return MHD_CONTENT_READER_END_WITH_ERROR;
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
            (transfer->transport->secure || !reply_shields[i].secure_only))
            MHD_add_response_header(response, reply_shields[i].name, reply_shields[i].value);
    /* The library accepts chunk lines that end with LF alone, which a proxy may read differently.
     * So the connection ends after a chunked body. */
    if (transfer->exchange.request.headers.chunked && !reply_has_field(reply, "Connection"))
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
}

static enum MHD_Result send_reply(struct transfer *transfer)
{
    struct reply *reply = &transfer->exchange.reply;
    struct MHD_Response *response;
    enum MHD_Result result;

    hold_body(transfer);
    response = make_response(transfer);
    access_audit(&transfer->exchange); /* before the answer is sent */
    if (!response)
        return MHD_NO;
    add_headers(transfer, response);
    client_phase(transfer->carrier->client, reply->stream.is_live ? PHASE_HOLD : PHASE_SEND,
                 clock_monotonic_ns());
    if (reply->stream.is_live)
        listener_hold_little(descriptor_of(transfer->connection));
    result = MHD_queue_response(transfer->connection, (unsigned)reply->status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result check_field(void *user, enum MHD_ValueKind kind, const char *name,
                                   size_t name_length, const char *value, size_t value_length)
{
    (void)kind;
    framing_field(user, name, name_length, value ? value : "", value ? value_length : 0);
    return MHD_YES;
}

/* The first line of a request, whose words lie in memory as sent. */
struct first_line {
    const char *method, *url, *version;
};

/* Before version 1, the library accepts folded lines, lines without CR LF, and NUL. It keeps the
 * header as sent, so the positions of its parts reveal them. */
static bool check_framing(struct transfer *transfer, const struct first_line *line,
                          struct error *err)
{
    const bool keeps_header = MHD_VERSION < 0x01000000;
    struct framing framing =
        framing_begin(keeps_header ? line->version + strlen(line->version) + 2 : NULL);

    if (strchr(transfer->exchange.request.target, ' ') ||
        (keeps_header && line->url + transfer->target_length + 1 != line->version))
        return error_set(err, ERROR_INVALID, NULL, "the URL has a blank or a NUL");
    MHD_get_connection_values_n(transfer->connection, MHD_HEADER_KIND, check_field, &framing);
    return framing_check(&framing, strcmp(line->version, MHD_HTTP_VERSION_1_1) == 0,
                         line->method + transfer->exchange.request.headers.bytes, err);
}

/* Called when the header is complete. */
static enum MHD_Result transfer_begin(struct transfer *transfer, const struct first_line *line)
{
    struct error err = {0};

    transfer->admitted = true;
    read_headers(transfer, line->method);
    client_phase(transfer->carrier->client, PHASE_BODY, clock_monotonic_ns());
    if (!check_framing(transfer, line, &err)) {
        exchange_refuse(&transfer->exchange, &err);
        return send_reply(transfer);
    }
    exchange_admit(&transfer->exchange);
    if (exchange_answers_early(&transfer->exchange))
        return send_reply(transfer);
    return MHD_YES;
}

enum MHD_Result transfer_on_request(void *user, struct MHD_Connection *connection,
                                    const char *url, const char *method, const char *version,
                                    const char *data, size_t *size, void **state)
{
    struct transfer *transfer = *state;

    (void)user, (void)connection;
    if (!transfer)
        return MHD_NO;
    if (!transfer->admitted)
        return transfer_begin(transfer, &(struct first_line){method, url, version});
    if (*size > 0) {
        exchange_take_body(&transfer->exchange, data, *size);
        *size = 0;
        return MHD_YES;
    }
    /* While held, another thread may be making its reply. */
    if (transfer->exchange.hold.waits || transfer->exchange.reply.status == 0) {
        /* From here on the client waits for the server. */
        client_phase(transfer->carrier->client, PHASE_ANSWER, clock_monotonic_ns());
        exchange_answer(&transfer->exchange);
        if (transfer->exchange.hold.waits) {
            client_phase(transfer->carrier->client, PHASE_HOLD, clock_monotonic_ns());
            return MHD_YES; /* suspended; we are called again when it is resumed */
        }
    }
    return send_reply(transfer);
}

/* The library reads until the socket is empty, and would then miss an end that arrived together
 * with the request. */
static void look_for_end(struct MHD_Connection *connection)
{
    int descriptor = descriptor_of(connection);

    if (listener_has_left(descriptor))
        listener_tell_end(descriptor);
}

void transfer_on_completed(void *user, struct MHD_Connection *connection, void **state,
                           enum MHD_RequestTerminationCode why)
{
    struct transfer *transfer = *state;
    const struct transport *transport = user;
    long long now_ns = clock_monotonic_ns();

    if (!transfer)
        return;
    exchange_leave(&transfer->exchange);
    if (transfer->exchange.reply.status != 0) {
        const struct route *route = transfer->exchange.request.match.route;

        metrics_request(
            transport->server->metrics, route ? (size_t)(route - routes) : route_count,
            transfer->exchange.reply.status, now_ns - transfer->exchange.request.started_ns);
        log_line(LOG_DEBUG, "%s %s status=%d us=%lld", transfer->exchange.request.method,
                 transfer->exchange.request.query.path, transfer->exchange.reply.status,
                 (now_ns - transfer->exchange.request.started_ns) / 1000);
    }
    if (why == MHD_REQUEST_TERMINATED_COMPLETED_OK) {
        client_phase(transfer->carrier->client, PHASE_REST, now_ns);
        look_for_end(connection);
    }
    transfer->carrier->transfer = NULL;
    transfer_free(transfer);
    *state = NULL;
}

static struct carrier *carrier_new(const struct transport *transport,
                                   struct MHD_Connection *connection)
{
    struct carrier *carrier = xcalloc(1, sizeof *carrier);
    long long now_ns = clock_monotonic_ns();
    /* libmicrohttpd 1 reuses one buffer for these results: copy before the next call. */
    int descriptor = descriptor_of(connection);
    const struct sockaddr *address =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;

    carrier->client = connections_add(transport->connections, descriptor, address, now_ns);
    if (!carrier->client) {
        free(carrier);
        shutdown(descriptor, SHUT_RDWR);
        return NULL;
    }
    listener_hold_enough(descriptor);
    deadlines_wake_by(transport->deadlines, now_ns + transport->shortest_ns);
    return carrier;
}

static void carrier_free(const struct transport *transport, struct carrier *carrier)
{
    if (!carrier)
        return;
    transfer_free(carrier->transfer);
    connections_remove(transport->connections, carrier->client);
    free(carrier);
}

void transfer_on_connection(void *user, struct MHD_Connection *connection, void **socket_context,
                            enum MHD_ConnectionNotificationCode what)
{
    const struct transport *transport = user;

    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        carrier_free(transport, *socket_context);
        *socket_context = NULL;
        return;
    }
    *socket_context = carrier_new(transport, connection);
}
