#include "server/http/request.h"

#include "common/cleanup.h"
#include "common/json_read.h"
#include "common/limits.h"
#include "common/text.h"
#include "server/http/negotiate.h"
#include "server/http/path_ids.h"
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

bool request_read_id(struct exchange *exchange)
{
    const struct router_match *match = &exchange->request.match;
    const struct path_id *path_id = path_id_of(match->route->pattern);
    struct run_id id;

    if (!path_id || !path_id->names)
        return true;
    snprintf(id.text, sizeof id.text, "%.*s", (int)match->id_length, match->id);
    if (match->id_length != RUN_ID_LENGTH || !run_id_is_valid(id.text)) {
        reply_problem(exchange, 404, NULL, "there is no %s %.*s", path_id->names,
                      match->id_length > 40 ? 40 : (int)match->id_length, match->id);
        return false;
    }
    exchange->request.id = id;
    return true;
}

long long request_wait(const struct exchange *exchange, long long given)
{
    long long seconds = prefer_wait(exchange->request.headers.prefer);

    if (query_find(&exchange->request.query, "wait"))
        return given;
    return seconds < WAIT_SECONDS_MAX ? seconds : WAIT_SECONDS_MAX;
}

/* Describes where the text stops being valid JSON. The message quotes the text. */
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
