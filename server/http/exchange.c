#include "server/http/exchange.h"

#include "answers/parameters.h"
#include "common/cleanup.h"
#include "common/memory.h"
#include "server/base/disk_reserve.h"
#include "server/http/access.h"
#include "server/http/long_work.h"
#include "server/http/negotiate.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/routes.h"
#include "server/http/server.h"

static bool check_target(struct exchange *exchange)
{
    struct error err = {0};

    if (exchange->request.headers.bytes > HEADER_MAX) {
        reply_problem(exchange, 431, NULL, "the header has %zu bytes, at most %d are read",
                      exchange->request.headers.bytes, HEADER_MAX);
        return false;
    }
    if (query_read(exchange->request.target, &exchange->request.query, &err))
        return true;
    reply_error(exchange, &err);
    return false;
}

static bool find_route(struct exchange *exchange)
{
    const char *path = exchange->request.query.path;
    enum router_result found = router_find(routes, route_count, exchange->request.method, path,
                                           &exchange->request.match);
    char allow[64];

    if (found == ROUTER_FOUND)
        return true;
    if (found == ROUTER_NO_PATH) {
        reply_problem(exchange, 404, NULL, "nothing is served at '%.100s'", path);
        return false;
    }
    router_allow(routes, route_count, path, allow, sizeof allow);
    if (strcmp(exchange->request.method, "OPTIONS") == 0)
        exchange->reply.status = 204;
    else
        reply_problem(exchange, 405, NULL, "the methods here are %s", allow);
    reply_field(exchange, "Allow", "%s", allow);
    return false;
}

/* On a full disk, refuses a POST before its body is read. DELETE is always allowed. */
static bool check_space(struct exchange *exchange)
{
    struct error err = {0};

    if (strcmp(exchange->request.method, "POST") != 0 ||
        disk_reserve_check(exchange->server->config, &err))
        return true;
    reply_error(exchange, &err);
    return false;
}

static size_t body_limit(const struct exchange *exchange)
{
    const struct route *route = exchange->request.match.route;

    return route && route->takes_body == BODY_RUNS ? BODY_RUNS_MAX : BODY_MAX;
}

static void refuse_size(struct exchange *exchange)
{
    reply_problem(exchange, 413, NULL, "the body may have at most %zu bytes",
                  body_limit(exchange));
}

static bool check_type(struct exchange *exchange)
{
    const char *type = exchange->request.headers.content_type;
    bool lines = exchange->request.match.route->takes_body == BODY_RUNS;

    if (content_type_is_json(type) || (lines && content_type_is_lines(type)))
        return true;
    reply_problem(exchange, 415, "Content-Type", "must be application/json%s",
                  lines ? " or application/x-ndjson" : "");
    return false;
}

/* Takes a slot of the server, and of the token. */
static bool take_large_body_slot(struct exchange *exchange, struct error *err)
{
    struct sender *sender = exchange->request.grant.sender;
    int most = LARGE_BODIES_OF_SENDER;

    if (!sender || sender_begin_large(sender)) {
        if (large_body_slots_take(exchange->server->large_body_slots))
            return true;
        if (sender)
            sender_end_large(sender);
        most = LARGE_BODIES_MAX;
    }
    return error_set(err, ERROR_BUSY, NULL, "%d large bodies%s are being read already", most,
                     most == LARGE_BODIES_OF_SENDER ? " with this token" : "");
}

static bool check_body(struct exchange *exchange)
{
    const struct request_headers *headers = &exchange->request.headers;
    unsigned long long length =
        headers->content_length ? strtoull(headers->content_length, NULL, 10) : 0;
    struct error err = {0};

    if (length > body_limit(exchange)) {
        refuse_size(exchange);
        return false;
    }
    if (exchange->request.match.route->takes_body == BODY_NONE)
        return true;
    if (!headers->content_length && !headers->chunked) {
        reply_problem(exchange, 411, NULL, "send a Content-Length, or a chunked body");
        return false;
    }
    if (!check_type(exchange))
        return false;
    if (body_limit(exchange) == BODY_MAX || (headers->content_length && length <= BODY_MAX))
        return true;
    exchange->request.has_large_body_slot = take_large_body_slot(exchange, &err);
    if (!exchange->request.has_large_body_slot)
        reply_error(exchange, &err);
    return exchange->request.has_large_body_slot;
}

/* Frees the body, and its slot among the large ones. */
static void drop_body(struct exchange *exchange)
{
    bytes_free(&exchange->request.body);
    if (exchange->request.has_large_body_slot) {
        large_body_slots_leave(exchange->server->large_body_slots);
        if (exchange->request.grant.sender)
            sender_end_large(exchange->request.grant.sender);
    }
    exchange->request.has_large_body_slot = false;
}

/* Charges a body by its Content-Length before it is read; pay_behind() charges a chunked one
 * after that, even if the request is refused. */
static bool pay_ahead(struct exchange *exchange)
{
    const struct request_headers *headers = &exchange->request.headers;

    if (!headers->content_length || headers->chunked)
        return true;
    return access_spend(exchange, LIMIT_BYTES, strtoll(headers->content_length, NULL, 10));
}

static bool pay_behind(struct exchange *exchange)
{
    return !exchange->request.headers.chunked ||
           access_spend(exchange, LIMIT_BYTES, (long long)exchange->request.received);
}

void exchange_admit(struct exchange *exchange)
{
    exchange->reply.body.limit = REPLY_MAX;
    if (check_target(exchange) && find_route(exchange) && access_admit(exchange) &&
        check_space(exchange) && check_body(exchange) && !pay_ahead(exchange))
        drop_body(exchange); /* the rest is read and discarded */
    exchange->request.body.limit = body_limit(exchange);
}

void exchange_refuse(struct exchange *exchange, const struct error *err)
{
    exchange->reply.body.limit = REPLY_MAX;
    reply_error(exchange, err);
    reply_field(exchange, "Connection", "close");
}

static bool has_large_body(const struct exchange *exchange)
{
    const char *length = exchange->request.headers.content_length;

    return length && strtoull(length, NULL, 10) > BODY_MAX;
}

/* An early answer ends the connection with the body unread, and its client may see a reset
 * instead of the answer. So only a refusal of a large body is early, 429 never is, and 503 only
 * where the body follows later: the client must learn when to come back. */
bool exchange_answers_early(const struct exchange *exchange)
{
    int status = exchange->reply.status;

    return status != 0 && status != 429 && has_large_body(exchange) &&
           (status != 503 || exchange->request.headers.expects);
}

/* Discards the body of a refused request and the excess of a large one: libmicrohttpd answers
 * only after the body. The deadline for bodies ends a client that sends without end. */
void exchange_take_body(struct exchange *exchange, const char *data, size_t length)
{
    exchange->request.received += length;
    if (exchange->reply.status == 0 && !exchange->request.body_overflow)
        exchange->request.body_overflow = !bytes_add(&exchange->request.body, data, length);
}

static bool read_parameters(struct exchange *exchange)
{
    const struct route *route = exchange->request.match.route;
    struct error err = {0};

    if (route->produces && !request_accepts(exchange, route->produces))
        return false;
    freep(&exchange->request.parameters);
    exchange->request.parameters = xcalloc(1, route->parameters ? route->parameters->size : 0);
    if (parameters_read(route->parameters, &exchange->request.query, exchange->request.parameters,
                        &err))
        return request_read_id(exchange);
    reply_error(exchange, &err);
    return false;
}

void exchange_answer(struct exchange *exchange)
{
    exchange->hold.waits = false;
    if (exchange->hold.go_on)
        exchange->hold.go_on(exchange);
    else if (pay_behind(exchange) && exchange->request.body_overflow)
        refuse_size(exchange);
    else if (exchange->reply.status == 0 && read_parameters(exchange) &&
             !long_work_begin(exchange))
        exchange->request.match.route->handler(exchange);
    if (exchange->request.has_large_body_slot && !exchange->hold.waits)
        drop_body(exchange);
}

void exchange_leave(struct exchange *exchange)
{
    notifications_leave(exchange->server->notifications, &exchange->watcher);
    if (exchange->hold.free)
        exchange->hold.free(exchange->hold.state);
    exchange->hold.free = NULL;
}

void exchange_done(struct exchange *exchange)
{
    exchange_leave(exchange);
    access_audit(exchange); /* writes the line of a client that left before the answer */
    drop_body(exchange);
    freep(&exchange->request.parameters);
    reply_clear(&exchange->reply);
}
