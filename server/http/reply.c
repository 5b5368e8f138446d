#include "server/http/reply.h"

#include "common/cleanup.h"
#include "common/rows/members.h"
#include "server/base/log.h"

#include <assert.h>
#include <stdarg.h>
#include <strings.h>

static const struct kind {
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
static const struct kind statuses[] = {
    {401, "unauthorized", "A token is needed"},
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

/* RFC 9457. */
struct problem {
    char type[64];
    const char *title;
    int status;
    char detail[sizeof((struct error *)NULL)->field + sizeof((struct error *)NULL)->message + 2];
    const struct error *err;
};

static void write_field(struct json_writer *out, const struct member *row, const void *object)
{
    const struct problem *problem = object;

    if (problem->err->field[0])
        jsonw_text(out, row->name, problem->err->field);
}

static void write_allowed(struct json_writer *out, const struct member *row, const void *object)
{
    const struct allowed *allowed = &((const struct problem *)object)->err->allowed;

    if (!allowed->ranged && !allowed->choices)
        return;
    jsonw_open(out, row->name, '{');
    if (allowed->ranged) {
        jsonw_integer(out, allowed->above_min ? "exclusiveMinimum" : "minimum", allowed->min);
        jsonw_integer(out, "maximum", allowed->max);
    } else {
        jsonw_open(out, "values", '[');
        for (const char *const *choice = allowed->choices; *choice; choice++)
            jsonw_text(out, NULL, *choice);
        jsonw_close(out, ']');
    }
    jsonw_close(out, '}');
}

#define ALLOWED(meaning, first, second)                                                          \
    "{\"description\": \"" meaning "\", \"type\": \"object\", \"additionalProperties\": false, " \
    "\"required\": [\"" first "\", \"" second "\"], \"properties\": {\"" first                   \
    "\": {\"type\": \"integer\"}, \"" second "\": {\"type\": \"integer\"}}}, "
static const struct member problem_rows[] = {
    {MEMBER(struct problem, type), .meaning = "The kind of problem, for programs."},
    {MEMBER(struct problem, title), .filled = true, .meaning = "The kind in words."},
    {MEMBER(struct problem, status), .schema = "{\"minimum\": 400, \"maximum\": 599}",
     .meaning = "Status of the answer."},
    {MEMBER(struct problem, detail), .filled = true,
     .meaning = "This case, in one sentence; behind the name of the field and a colon, where one "
                "is at fault."},
    {MEMBER_WRITTEN("field", MEMBER_TEXT, write_field), .filled = true, .optional = true,
     .meaning = "The field, parameter or header that is wrong."},
    {MEMBER_WRITTEN("allowed", MEMBER_JSON, write_allowed), .optional = true,
     .meaning = "What is allowed there.",
     .schema = "{\"oneOf\": [" ALLOWED("An integer; for texts, their length in bytes.", "minimum",
                                       "maximum")
         ALLOWED("A number above `exclusiveMinimum`, which is itself not allowed.",
                 "exclusiveMinimum",
                 "maximum") "{\"type\": \"object\", \"additionalProperties\": false, "
                            "\"required\": [\"values\"], "
                            "\"properties\": {\"values\": {\"type\": \"array\", \"minItems\": 1, "
                            "\"items\": "
                            "{\"type\": \"string\"}}}}]}"},
    {0},
};
const struct members problem_members = {
    .name = "Problem", .meaning = "What is wrong (RFC 9457).", .rows = problem_rows};

#define PROBLEM "urn:pennyworth:problem:"
static void add_types(json_t *list, const struct kind *kinds_listed, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (kinds_listed[i].status >= 400)
            json_array_append_new(list, json_sprintf(PROBLEM "%s", kinds_listed[i].type));
}

json_t *reply_problem_types(void)
{
    json_t *list = json_array();

    add_types(list, kinds, COUNT(kinds));
    add_types(list, statuses, COUNT(statuses));
    return list;
}

static void write_problem(struct exchange *exchange, const struct kind *kind,
                          const struct error *err)
{
    struct problem problem = {.title = kind->title, .status = kind->status, .err = err};
    struct json_writer out = {.bytes = &exchange->reply.body};

    start_over(exchange);
    snprintf(problem.type, sizeof problem.type, PROBLEM "%s", kind->type);
    snprintf(problem.detail, sizeof problem.detail, "%s%s%s", err->field,
             err->field[0] ? ": " : "", err->message);
    members_write(&out, NULL, &problem_members, &problem);
    exchange->reply.status = kind->status;
    exchange->reply.content_type = "application/problem+json";
}

void reply_error(struct exchange *exchange, const struct error *err)
{
    struct error shown = *err;

    if (err->kind == ERROR_INTERNAL) {
        /* Internals (SQL, paths) go to the log, not to the client. */
        log_line(LOG_ERROR, "internal error: %s", err->message);
        snprintf(shown.message, sizeof shown.message, "the server's log says more");
    }
    write_problem(exchange, &kinds[err->kind], &shown);
    if (err->kind == ERROR_FULL)
        reply_field(exchange, "Retry-After", "%d", 30);
    if (err->kind == ERROR_BUSY)
        reply_field(exchange, "Retry-After", "%d", 1);
}

static const struct kind *kind_of_status(int status)
{
    for (size_t i = 0; i < COUNT(statuses); i++)
        if (statuses[i].status == status)
            return &statuses[i];
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (kinds[i].status == status)
            return &kinds[i];
    assert(false && "no such status");
    return &kinds[ERROR_INTERNAL];
}

void reply_problem(struct exchange *exchange, int status, const char *field, const char *format,
                   ...)
{
    struct error err = {0};
    char message[sizeof err.message];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error_set(&err, ERROR_INVALID, field, "%s", message);
    write_problem(exchange, kind_of_status(status), &err);
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

void reply_object(struct exchange *exchange, int status, const struct members *members,
                  const void *object)
{
    struct json_writer out = {.bytes = &exchange->reply.body};

    members_write(&out, NULL, members, object);
    reply_json(exchange, status, &out);
}

void reply_list(struct exchange *exchange, const struct members *members, const void *list,
                const struct error *err)
{
    struct json_writer out = {.bytes = &exchange->reply.body};

    members_write(&out, NULL, members, list);
    if (err->kind != ERROR_NONE)
        reply_error(exchange, err);
    else
        reply_json(exchange, 200, &out);
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
