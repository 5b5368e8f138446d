/* /v1/figures: published figures, those shipped and those a user adds.
 * Tested by tests/api/test_published.py. */
#include "common/cleanup.h"
#include "common/json_writer.h"
#include "db/contenders/contenders.h"
#include "db/contenders/figures.h"
#include "server/http/handlers/handlers.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"
#include "server/prices/published.h"

#include <math.h>

/* Turns a rate back into the published time, rounded to remove the error of two divisions. */
static double seconds_of(double jobs_per_second)
{
    char text[32];

    snprintf(text, sizeof text, "%.15g", 1 / jobs_per_second);
    return strtod(text, NULL);
}

static void present_figure(struct json_writer *out, const struct figure *figure)
{
    bool is_job = strcmp(figure->unit, "job") == 0;

    jsonw_open(out, NULL, '{');
    jsonw_text(out, "id", figure->id);
    jsonw_text(out, "workload", figure->workload);
    jsonw_text(out, "engine", figure->engine);
    jsonw_text(out, "provider", *figure->provider ? figure->provider : NULL);
    jsonw_text(out, "instance_type", *figure->instance ? figure->instance : NULL);
    jsonw_raw(out, "configuration", figure->configuration);
    jsonw_text(out, "unit", figure->unit);
    jsonw_number(out, "samples_per_second", is_job ? NAN : figure->samples_per_second);
    jsonw_number(out, "seconds_per_job", is_job ? seconds_of(figure->samples_per_second) : NAN);
    jsonw_bool(out, "derived", figure->derived);
    jsonw_text(out, "source", figure->source);
    jsonw_text(out, "note", *figure->note ? figure->note : NULL);
    jsonw_time(out, "measured_at", figure->measured_us);
    jsonw_close(out, '}');
}

static void tell(void *user, const struct figure *figure)
{
    present_figure(user, figure);
}

static bool store(struct db *db, const struct figure *figure, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    return transaction_begin(&change, db, DB_DURABLE, err) && revision_touch(db, err) &&
           figures_put(db, figure, err) && transaction_commit(&change, err);
}

/* A known id replaces the stored figure. */
void figures_create_handler(struct exchange *exchange)
{
    static const char *const allowed[] = {NULL};
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(db_loan_end) struct db_loan loan = {0};
    AUTO(figure_clear) struct figure figure = {0};
    AUTO(json_decrefp) json_t *json = NULL;
    struct error err = {0};

    if (!request_accepts(exchange, "application/json") || !request_allows(exchange, allowed))
        return;
    json = request_json(exchange, &err);
    if (!json || !published_read_figure(json, &figure, &err)) {
        reply_error(exchange, &err);
        return;
    }
    loan = db_borrow(exchange->server->pool);
    if (!store(loan.db, &figure, &err)) {
        reply_error(exchange, &err);
        return;
    }
    present_figure(&out, &figure);
    reply_json(exchange, 201, &out);
}

void figures_list_handler(struct exchange *exchange)
{
    static const char *const allowed[] = {NULL};
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct error err = {0};

    if (!request_accepts(exchange, "application/json") || !request_allows(exchange, allowed))
        return;
    loan = db_borrow(exchange->server->pool);
    jsonw_open(&out, NULL, '{');
    jsonw_open(&out, "figures", '[');
    if (!figures_each(loan.db, tell, &out, &err)) {
        reply_error(exchange, &err);
        return;
    }
    jsonw_close(&out, ']');
    jsonw_close(&out, '}');
    reply_json(exchange, 200, &out);
}
