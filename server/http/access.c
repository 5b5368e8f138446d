#include "server/http/access.h"

#include "common/clock.h"
#include "server/http/audit.h"
#include "server/http/edge/ambient.h"
#include "server/http/negotiate.h"
#include "server/http/reply.h"
#include "server/http/server.h"

#include <stdio.h>
#include <string.h>

/* The scopes that admit a request: any one is enough. */
static unsigned wanted_scopes(enum access access)
{
    switch (access) {
    case ACCESS_READ:
    case ACCESS_EXPORT:
        return SCOPE_READ;
    case ACCESS_IMPORT:
        return SCOPE_IMPORT | SCOPE_WRITE;
    default:
        return SCOPE_WRITE;
    }
}

static bool find_grant(struct exchange *exchange)
{
    const char *token = bearer_token(exchange->request.headers.authorization);

    if (token_store_find(exchange->server->token_store, token, &exchange->request.grant))
        return true;
    reply_problem(exchange, 401, NULL,
                  token ? "the token is not known here" : "send \"Authorization: Bearer TOKEN\"");
    reply_field(exchange, "WWW-Authenticate", "Bearer realm=\"pennyworth\"");
    return false;
}

static bool check_scopes(struct exchange *exchange)
{
    unsigned wanted = wanted_scopes(exchange->request.match.route->access);
    char has[SCOPES_TEXT_MAX];

    if (exchange->request.grant.scopes & wanted)
        return true;
    scopes_write(exchange->request.grant.scopes, has);
    reply_problem(exchange, 403, NULL, "the scope %s is missing: this token has %s",
                  wanted & SCOPE_IMPORT  ? "import (or write)"
                  : wanted & SCOPE_WRITE ? "write"
                                         : "read",
                  has);
    return false;
}

/* A request without a token, on a server that demands none. */
static bool check_ambient(struct exchange *exchange)
{
    const struct request_headers *headers = &exchange->request.headers;
    enum access access = exchange->request.match.route->access;
    const struct ambient_request request = {headers->host, headers->origin, headers->fetch_site,
                                            access != ACCESS_READ};
    struct error err = {0};

    if (exchange->request.grant.sender)
        return true;
    if (access == ACCESS_COPY)
        reply_problem(
            exchange, 403, NULL,
            "this takes a token, and the server has none: give it --write-token-file, or "
            "use the command \"pennyworth backup FILE\"");
    else if (!ambient_check(&request, exchange->server->config->host, &err))
        reply_problem(exchange, 403, err.field, "%s", err.message);
    return exchange->reply.status == 0;
}

bool access_admit(struct exchange *exchange)
{
    enum access access = exchange->request.match.route->access;

    exchange->audit.wanted = access >= ACCESS_WRITE;
    if (access == ACCESS_OPEN)
        return true;
    if (!find_grant(exchange) || !check_ambient(exchange))
        return false;
    if (exchange->request.grant.sender)
        sender_count_request(exchange->request.grant.sender);
    return access_spend(exchange, LIMIT_REQUESTS, 1) && check_scopes(exchange);
}

static const char *const limit_words[LIMITS] = {"requests a minute", "runs an hour",
                                                "bytes an hour"};

/* A request refused by one limit must not use up another. */
static void give_back_bytes(struct exchange *exchange)
{
    sender_give_back(exchange->request.grant.sender, LIMIT_BYTES,
                     exchange->request.grant.limits.most[LIMIT_BYTES],
                     exchange->request.paid_bytes);
    exchange->request.paid_bytes = 0;
}

bool access_spend(struct exchange *exchange, enum limit_kind kind, long long amount)
{
    const struct grant *grant = &exchange->request.grant;
    long long most = grant->limits.most[kind], wait_ns;
    enum spent spent;

    if (!grant->sender)
        return true;
    spent = sender_spend(grant->sender, kind, most, amount, clock_monotonic_ns(), &wait_ns);
    if (spent == SPENT_OK && kind == LIMIT_BYTES)
        exchange->request.paid_bytes += amount;
    if (spent == SPENT_OK)
        return true;
    if (kind == LIMIT_RUNS)
        give_back_bytes(exchange);
    if (spent == SPENT_NEVER) {
        reply_problem(exchange, 429, limit_names[kind],
                      "this token may send %lld %s, and these are %lld: split the request", most,
                      limit_words[kind], amount);
        return false;
    }
    reply_problem(exchange, 429, limit_names[kind],
                  "this token may send %lld %s: of %lld nothing was done, try again later", most,
                  limit_words[kind], amount);
    reply_field(exchange, "Retry-After", "%lld", (wait_ns + NS_PER_SECOND - 1) / NS_PER_SECOND);
    return false;
}

bool access_may_queue(void *user, long long runs)
{
    struct access_spending *spending = user;

    spending->runs = runs;
    return access_spend(spending->exchange, LIMIT_RUNS, runs);
}

void access_count_runs(const struct exchange *exchange, long long count)
{
    if (exchange->request.grant.sender)
        sender_count_runs(exchange->request.grant.sender, count);
}

const char *access_sender(const struct exchange *exchange)
{
    return exchange->request.grant.is_named ? sender_name(exchange->request.grant.sender) : "";
}

/* Id in a Location header of /v1/runs or /v1/sweeps; "" where there is none. */
static struct run_id id_of_location(const struct reply *reply)
{
    struct run_id id = {""};

    for (int i = 0; i < reply->field_count; i++) {
        const char *value = reply->fields[i].value;

        if (strcmp(reply->fields[i].name, "Location") == 0 &&
            (strncmp(value, "/v1/runs/", 9) == 0 || strncmp(value, "/v1/sweeps/", 11) == 0))
            snprintf(id.text, sizeof id.text, "%s", strrchr(value, '/') + 1);
    }
    return id;
}

void access_audit(struct exchange *exchange)
{
    const struct request *request = &exchange->request;
    struct audit_entry *entry = &exchange->audit.entry;

    if (!exchange->audit.wanted || exchange->audit.written)
        return;
    exchange->audit.written = true;
    entry->at_us = clock_calendar_us();
    entry->at_ns = clock_monotonic_ns();
    entry->who = request->grant.sender ? sender_name(request->grant.sender) : NULL;
    entry->from = request->peer;
    entry->method = request->method;
    entry->path = request->query.path;
    entry->status = exchange->reply.status;
    entry->bytes = request->received;
    if (!entry->id.text[0])
        entry->id = id_of_location(&exchange->reply);
    audit_write(exchange->server->audit, entry);
}
