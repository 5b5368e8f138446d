#include "server/exchange.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "server/handlers.h"
#include "server/negotiate.h"
#include "server/reply.h"
#include "server/routes.h"
#include "server/server.h"

static bool check_target(struct exchange *exchange)
{
    struct error err = {0};

    if (exchange->headers.bytes > HEADER_MAX) {
        reply_problem(exchange, 431, NULL, "the header has %zu bytes, at most %d are read",
                      exchange->headers.bytes, HEADER_MAX);
        return false;
    }
    if (query_read(exchange->target, &exchange->query, &err))
        return true;
    reply_error(exchange, &err);
    return false;
}

static bool find_route(struct exchange *exchange)
{
    const char *path = exchange->query.path;
    enum router_result found =
        router_find(routes, route_count, exchange->method, path, &exchange->match);
    char allow[64];

    if (found == ROUTER_FOUND)
        return true;
    if (found == ROUTER_NO_PATH) {
        reply_problem(exchange, 404, NULL, "nothing is served at '%.100s'", path);
        return false;
    }
    router_allow(routes, route_count, path, allow, sizeof allow);
    if (strcmp(exchange->method, "OPTIONS") == 0)
        exchange->reply.status = 204;
    else
        reply_problem(exchange, 405, NULL, "the methods here are %s", allow);
    reply_field(exchange, "Allow", "%s", allow);
    return false;
}

static bool token_fits(const char *token, const char *expected)
{
    return expected[0] && text_equal_secret(token, expected);
}

bool exchange_may_write(const struct exchange *exchange)
{
    const struct config *config = exchange->server->config;
    const char *token = bearer_token(exchange->headers.authorization);

    if (!config->read_token[0] && !config->write_token[0])
        return true;
    return token && strlen(token) < TEXT_SECRET_MAX && token_fits(token, config->write_token);
}

/* Without any token configured everybody may do everything: config_check() has seen to it that
 * then only this machine can reach us. */
static bool check_access(struct exchange *exchange)
{
    const struct config *config = exchange->server->config;
    enum access access = exchange->match.route->access;
    const char *token = bearer_token(exchange->headers.authorization);

    if (access == ACCESS_OPEN || (!config->read_token[0] && !config->write_token[0]))
        return true;
    if (token && strlen(token) < TEXT_SECRET_MAX) {
        bool may_write = token_fits(token, config->write_token);
        bool may_read = token_fits(token, config->read_token);

        if (may_write || (may_read && access == ACCESS_READ))
            return true;
        if (may_read) {
            reply_problem(exchange, 403, NULL, "this token may only read");
            return false;
        }
    }
    reply_problem(exchange, 401, NULL,
                  token ? "the token is not known here" : "send \"Authorization: Bearer TOKEN\"");
    reply_field(exchange, "WWW-Authenticate", "Bearer realm=\"pennyworth\"");
    return false;
}

static size_t body_limit(const struct exchange *exchange)
{
    const struct route *route = exchange->match.route;

    return route && route->takes_body == BODY_RUNS ? BODY_RUNS_MAX : BODY_MAX;
}

static void refuse_size(struct exchange *exchange)
{
    reply_problem(exchange, 413, NULL, "the body may have at most %zu bytes",
                  body_limit(exchange));
}

static bool check_type(struct exchange *exchange)
{
    const char *type = exchange->headers.content_type;
    bool lines = exchange->match.route->takes_body == BODY_RUNS;

    if (content_type_is_json(type) || (lines && content_type_is_lines(type)))
        return true;
    reply_problem(exchange, 415, "Content-Type", "must be application/json%s",
                  lines ? " or application/x-ndjson" : "");
    return false;
}

static bool check_body(struct exchange *exchange)
{
    const struct request_headers *headers = &exchange->headers;
    unsigned long long length =
        headers->content_length ? strtoull(headers->content_length, NULL, 10) : 0;
    struct error err = {0};

    if (length > body_limit(exchange)) {
        refuse_size(exchange);
        return false;
    }
    if (exchange->match.route->takes_body == BODY_NONE)
        return true;
    if (!headers->content_length && !headers->chunked) {
        reply_problem(exchange, 411, NULL, "send a Content-Length, or a chunked body");
        return false;
    }
    if (!check_type(exchange))
        return false;
    if (body_limit(exchange) == BODY_MAX || (headers->content_length && length <= BODY_MAX))
        return true;
    exchange->has_room = room_take(exchange->server->room);
    if (!exchange->has_room) {
        error_set(&err, ERROR_BUSY, NULL, "%d large bodies are being read already", ROOM_BODIES);
        reply_error(exchange, &err);
    }
    return exchange->has_room;
}

/* Frees the body, and so the room it took. */
static void drop_body(struct exchange *exchange)
{
    bytes_free(&exchange->body);
    if (exchange->has_room)
        room_leave(exchange->server->room);
    exchange->has_room = false;
}

void exchange_admit(struct exchange *exchange)
{
    exchange->reply.body.limit = REPLY_MAX;
    if (check_target(exchange) && find_route(exchange) && check_access(exchange))
        (void)check_body(exchange);
    exchange->body.limit = body_limit(exchange);
}

void exchange_answer(struct exchange *exchange)
{
    exchange->reply.hold = false;
    if (exchange->body_overflow)
        refuse_size(exchange);
    else if (exchange->held)
        exchange->held(exchange);
    else
        exchange->match.route->handler(exchange);
    if (exchange->has_room)
        drop_body(exchange);
}

void exchange_done(struct exchange *exchange)
{
    live_leave(exchange->server->live, &exchange->watcher);
    drop_body(exchange);
    bytes_free(&exchange->reply.body);
}
