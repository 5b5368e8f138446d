#include "server/http/request.h"

#include "common/cleanup.h"
#include "common/fields.h"
#include "common/json_read.h"
#include "common/limits.h"
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

static bool read_label(const char *text, char key[LABEL_KEY_MAX + 1], struct wanted_label *label,
                       struct error *err)
{
    const char *colon = strchr(text, ':');
    size_t key_length = colon ? (size_t)(colon - text) : 0;

    if (!colon || key_length > LABEL_KEY_MAX)
        return error_set(err, ERROR_INVALID, "label", "must be KEY:VALUE");
    memcpy(key, text, key_length);
    key[key_length] = '\0';
    *label = (struct wanted_label){key, colon + 1};
    return label_check("label", key, colon + 1, err);
}

bool request_labels(const struct query *query, char keys[][LABEL_KEY_MAX + 1],
                    struct wanted_label labels[RUN_FILTER_LABELS], int *ret_count,
                    struct error *err)
{
    int count = 0;

    for (size_t i = 0; i < query->count; i++) {
        if (strcmp(query->parameters[i].name, "label") != 0)
            continue;
        if (count == RUN_FILTER_LABELS)
            return error_set(err, ERROR_INVALID, "label", "may be given at most %d times",
                             RUN_FILTER_LABELS);
        if (!read_label(query->parameters[i].value, keys[count], &labels[count], err))
            return false;
        count++;
    }
    *ret_count = count;
    return true;
}

json_t *request_json(const struct exchange *exchange, struct error *err)
{
    const char *body = exchange->request.body.data ? exchange->request.body.data : "";
    json_error_t why;
    json_t *json = json_read(body, exchange->request.body.used, 0, &why, err);

    if (json_is_object(json))
        return json;
    if (json || why.text[0])
        error_set(err, ERROR_INVALID, NULL, "the body must be a JSON object");
    json_decref(json);
    return NULL;
}
