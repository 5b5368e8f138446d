#include "server/http/request.h"

#include "answers/query_labels.h"
#include "common/cleanup.h"
#include "common/fields.h"
#include "common/json_read.h"
#include "common/limits.h"
#include "common/text.h"
#include "engine/spec/run_spec.h"
#include "pricing/parse_time.h"
#include "server/http/negotiate.h"
#include "server/http/reply.h"
#include "server/http/server.h"

bool request_accepts(struct exchange *exchange, const char *type)
{
    if (accept_quality(exchange->request.headers.accept, type) > 0)
        return true;
    reply_problem(exchange, 406, "Accept", "this is %s and nothing else", type);
    return false;
}

bool request_form(struct exchange *exchange, bool *ret_csv)
{
    int json = accept_quality(exchange->request.headers.accept, "application/json");
    int csv = accept_quality(exchange->request.headers.accept, "text/csv");

    *ret_csv = csv > json;
    if (json > 0 || csv > 0)
        return true;
    reply_problem(exchange, 406, "Accept", "this is application/json or text/csv");
    return false;
}

bool request_may_queue(struct exchange *exchange)
{
    struct runner *runner = exchange->server->runner;
    char why[160];

    if (runner_is_stopping(runner))
        reply_problem(exchange, 503, NULL, "the server is stopping");
    else if (runner_is_preempted(runner, why, sizeof why))
        reply_problem(exchange, 503, NULL, "this machine is being taken back: %s", why);
    else
        return true;
    return false;
}

bool request_run_id(struct exchange *exchange, struct run_id *ret_id)
{
    const struct router_match *match = &exchange->request.match;

    snprintf(ret_id->text, sizeof ret_id->text, "%.*s", (int)match->id_length, match->id);
    if (match->id_length == RUN_ID_LENGTH && run_id_is_valid(ret_id->text))
        return true;
    reply_problem(exchange, 404, NULL, "there is no run %.*s",
                  match->id_length > 40 ? 40 : (int)match->id_length, match->id);
    return false;
}

bool request_wait(struct exchange *exchange, long long *ret_seconds, struct error *err)
{
    const struct field field = {.name = "wait", .max = WAIT_SECONDS_MAX};
    const char *text = query_find(&exchange->request.query, "wait");
    long long seconds = prefer_wait(exchange->request.headers.prefer);

    if (text)
        return field_read_text(&field, text, ret_seconds, err);
    *ret_seconds = seconds < WAIT_SECONDS_MAX ? seconds : WAIT_SECONDS_MAX;
    return true;
}

bool request_allows(struct exchange *exchange, const char *const allowed[])
{
    struct error err = {0};

    if (query_allow(&exchange->request.query, allowed, &err))
        return true;
    reply_error(exchange, &err);
    return false;
}

/* One of a few words, or any where the parameter is not given. */
static bool read_choice(const struct query *query, const char *name, const char *const *choices,
                        const char **ret_choice, struct error *err)
{
    const char *text = query_find(query, name);

    *ret_choice = text;
    for (const char *const *choice = choices; text && *choice; choice++)
        if (strcmp(*choice, text) == 0)
            return true;
    return !text || error_not_allowed(err, name, (struct allowed){.choices = choices},
                                      "must be one of these, got '%.40s'", text);
}

static bool read_time(const struct query *query, const char *name, long long *ret_us,
                      struct error *err)
{
    const char *text = query_find(query, name);

    *ret_us = 0;
    return !text || parse_time_given(text, ret_us) ||
           error_set(err, ERROR_INVALID, name,
                     "must be a time like 2026-01-02T03:04:05Z, or a day like 2026-01-02, "
                     "got '%.40s'",
                     text);
}

static const char *const *precisions(void)
{
    const struct field *field = run_spec_fields;

    while (strcmp(field->name, "precision") != 0)
        field++;
    return field->choices;
}

bool request_run_filter(const struct query *query, char keys[][LABEL_KEY_MAX + 1],
                        struct run_filter *ret_filter, struct error *err)
{
    static const char *const levels[] = {"ok", "warn", "invalid", NULL};
    struct run_filter filter = {.engine = query_find(query, "engine"),
                                .workload = query_find(query, "workload"),
                                .instance = query_find(query, "instance_type"),
                                .sender = query_find(query, "sender")};

    if (!read_choice(query, "provenance", provenance_names, &filter.provenance, err) ||
        !read_choice(query, "precision", precisions(), &filter.precision, err) ||
        !read_choice(query, "validity", levels, &filter.validity, err) ||
        !read_time(query, "since", &filter.since_us, err) ||
        !read_time(query, "until", &filter.until_us, err) ||
        !query_labels(query, keys, filter.labels, &filter.label_count, err))
        return false;
    if (filter.until_us && filter.until_us <= filter.since_us)
        return error_set(err, ERROR_INVALID, "until", "must be later than since");
    *ret_filter = filter;
    return true;
}

/* Where the text stops to be JSON as it is read here. The words quote the text. */
static void refuse_text(const char *body, size_t length, json_error_t *why, struct error *err)
{
    if (strspn(body, " \t\r\n") >= length) {
        error_set(err, ERROR_INVALID, NULL, "the body must be a JSON object: it is empty");
        return;
    }
    text_make_line(why->text, strlen(why->text));
    error_set(err, ERROR_INVALID, NULL, "the body must be a JSON object: line %d, column %d: %s",
              why->line, why->column, why->text);
}

json_t *request_json(const struct exchange *exchange, struct error *err)
{
    const struct bytes *body = &exchange->request.body;
    const char *text = body->data ? body->data : "";
    json_error_t why;
    json_t *json = json_read(text, body->used, 0, &why);

    if (json_is_object(json))
        return json;
    if (json)
        error_set(err, ERROR_INVALID, NULL, "the body must be a JSON object");
    else
        refuse_text(text, body->used, &why, err);
    json_decref(json);
    return NULL;
}
