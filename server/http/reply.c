#include "server/http/reply.h"

#include "common/cleanup.h"
#include "common/json_writer.h"
#include "server/base/log.h"

#include <assert.h>
#include <stdarg.h>
#include <strings.h>

static const struct {
    int status;
    const char *type, *title;
} kinds[] = {
    [ERROR_NONE] = {200, "none", "No error"},
    [ERROR_INVALID] = {400, "invalid", "The request is not valid"},
    [ERROR_NOT_FOUND] = {404, "not-found", "There is no such thing"},
    [ERROR_CONFLICT] = {409, "conflict", "It is not in a state that allows this"},
    [ERROR_MISMATCH] = {422, "key-reused", "The key was used for another request"},
    [ERROR_UNPROVEN] = {422, "signature-wrong", "A signature does not hold"},
    [ERROR_FORBIDDEN] = {403, "forbidden", "The token does not allow this"},
    [ERROR_UNABLE] = {422, "not-possible-here", "This machine cannot do that"},
    [ERROR_FULL] = {429, "queue-full", "The queue is full"},
    [ERROR_BUSY] = {503, "busy", "Busy; try again"},
    [ERROR_UPSTREAM] = {502, "upstream", "A service we depend on failed"},
    [ERROR_STORAGE] = {507, "disk-full", "There is no room on the disk"},
    [ERROR_DAMAGED] = {503, "database-damaged", "The database is damaged"},
    [ERROR_INTERNAL] = {500, "internal", "Something broke on our side"},
};

/* Problems that no error kind covers, by HTTP status. */
static const struct {
    int status;
    const char *type, *title;
} statuses[] = {
    {400, "invalid", "The request is not valid"},
    {401, "unauthorized", "A token is needed"},
    {403, "forbidden", "The token does not allow this"},
    {404, "not-found", "There is no such thing"},
    {405, "method-not-allowed", "The path does not know this method"},
    {406, "not-acceptable", "None of the accepted formats is available"},
    {411, "length-required", "The length of the body is needed"},
    {413, "content-too-large", "The body is too large"},
    {415, "unsupported-media-type", "The body's format is not understood"},
    {429, "limited", "A limit of the token is reached"},
    {431, "header-too-large", "The header is too large"},
    {503, "stopping", "The server is stopping"},
};

const struct reply_shield reply_shields[] = {
    {"X-Content-Type-Options", "nosniff", false},
    {"Referrer-Policy", "no-referrer", false},
    {"X-Frame-Options", "DENY", false},
    {"Cross-Origin-Resource-Policy", "same-origin", false},
    {"Cache-Control", "no-store", false},
    {"Strict-Transport-Security", "max-age=31536000", true},
};
const size_t reply_shield_count = COUNT(reply_shields);

bool reply_has_field(const struct reply *reply, const char *name)
{
    for (int i = 0; i < reply->field_count; i++)
        if (strcasecmp(reply->fields[i].name, name) == 0)
            return true;
    return false;
}

int reply_status(enum error_kind kind)
{
    return kinds[kind].status;
}

void reply_field(struct exchange *exchange, const char *name, const char *format, ...)
{
    struct reply *reply = &exchange->reply;
    va_list arguments;
    int length;

    assert(reply->field_count < REPLY_FIELDS_MAX);
    reply->fields[reply->field_count].name = name;
    va_start(arguments, format);
    length =
        vsnprintf(reply->fields[reply->field_count].value, FIELD_VALUE_MAX, format, arguments);
    va_end(arguments);
    assert(length < FIELD_VALUE_MAX);
    reply->field_count += length < FIELD_VALUE_MAX;
}

void reply_clear(struct reply *reply)
{
    bytes_free(&reply->body);
    if (reply->stream.free)
        reply->stream.free(reply->stream.state);
    reply->stream = (struct stream){0};
}

static void start_over(struct exchange *exchange)
{
    reply_clear(&exchange->reply);
    exchange->reply = (struct reply){.body = {.limit = REPLY_MAX}};
}

static void write_allowed(struct json_writer *out, const struct allowed *allowed)
{
    if (allowed->ranged) {
        jsonw_open(out, "allowed", '{');
        jsonw_integer(out, allowed->above_min ? "exclusiveMinimum" : "minimum", allowed->min);
        jsonw_integer(out, "maximum", allowed->max);
        jsonw_close(out, '}');
    } else if (allowed->choices) {
        jsonw_open(out, "allowed", '{');
        jsonw_open(out, "values", '[');
        for (const char *const *choice = allowed->choices; *choice; choice++)
            jsonw_text(out, NULL, *choice);
        jsonw_close(out, ']');
        jsonw_close(out, '}');
    }
}

static void write_problem(struct exchange *exchange, int status, const char *type,
                          const char *title, const struct error *err)
{
    start_over(exchange);

    struct json_writer out = {.bytes = &exchange->reply.body};
    char uri[64], detail[sizeof err->field + sizeof err->message + 2];

    snprintf(uri, sizeof uri, "urn:pennyworth:problem:%s", type);
    jsonw_open(&out, NULL, '{');
    jsonw_text(&out, "type", uri);
    jsonw_text(&out, "title", title);
    jsonw_integer(&out, "status", status);
    snprintf(detail, sizeof detail, "%s%s%s", err->field, err->field[0] ? ": " : "",
             err->message);
    jsonw_text(&out, "detail", detail);
    if (err->field[0])
        jsonw_text(&out, "field", err->field);
    write_allowed(&out, &err->allowed);
    jsonw_close(&out, '}');
    exchange->reply.status = status;
    exchange->reply.content_type = "application/problem+json";
}

void reply_error(struct exchange *exchange, const struct error *err)
{
    struct error shown = *err;
    int status = kinds[err->kind].status;

    if (err->kind == ERROR_INTERNAL) {
        /* Internals (SQL, paths) go to the log, not to the client. */
        log_line(LOG_ERROR, "internal error: %s", err->message);
        snprintf(shown.message, sizeof shown.message, "the server's log says more");
    }
    write_problem(exchange, status, kinds[err->kind].type, kinds[err->kind].title, &shown);
    if (err->kind == ERROR_FULL)
        reply_field(exchange, "Retry-After", "%d", 30);
    if (err->kind == ERROR_BUSY)
        reply_field(exchange, "Retry-After", "%d", 1);
}

void reply_problem(struct exchange *exchange, int status, const char *field, const char *format,
                   ...)
{
    struct error err = {0};
    char message[sizeof err.message];
    size_t row = 0;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error_set(&err, ERROR_INVALID, field, "%s", message);
    while (row + 1 < COUNT(statuses) && statuses[row].status != status)
        row++;
    assert(statuses[row].status == status);
    write_problem(exchange, status, statuses[row].type, statuses[row].title, &err);
}

void reply_fixed(struct exchange *exchange, const char *content_type, const char *bytes,
                 size_t size)
{
    start_over(exchange);
    exchange->reply.status = 200;
    exchange->reply.content_type = content_type;
    exchange->reply.fixed_body = bytes;
    exchange->reply.fixed_size = size;
}

void reply_json(struct exchange *exchange, int status, const struct json_writer *out)
{
    struct error err = {0};

    if (out->failed) {
        bytes_too_long(out->bytes, "the answer", &err);
        reply_error(exchange, &err);
        return;
    }
    exchange->reply.status = status;
    exchange->reply.content_type = "application/json";
}

void reply_events(struct exchange *exchange,
                  enum stream_result (*next)(void *state, struct exchange *exchange,
                                             struct bytes *piece),
                  void *state)
{
    exchange->reply.status = 200;
    exchange->reply.content_type = "text/event-stream";
    reply_field(exchange, "Cache-Control", "no-cache");
    reply_field(exchange, "Connection",
                "close"); /* listener_hold_little() made it slow for other answers */
    exchange->reply.stream =
        (struct stream){.next = next, .free = free, .state = state, .is_live = true};
}
