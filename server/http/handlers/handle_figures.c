/* /v1/figures: published figures, those shipped and those a user adds.
 * Tested by tests/api/test_published.py and tests/api/test_taking_back.py. */
#include "common/cleanup.h"
#include "common/json_writer.h"
#include "db/contenders/contenders.h"
#include "db/contenders/figures.h"
#include "server/http/handlers/handlers.h"
#include "server/http/handlers/taking_back.h"
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

/* `shipped`: it comes with the program. */
static void present_figure(struct json_writer *out, const struct figure *figure, bool shipped)
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
    jsonw_bool(out, "shipped", shipped);
    jsonw_close(out, '}');
}

/* What tell() needs. */
struct listing {
    struct json_writer *out;
    struct published_data shipped;
};

static void listing_clear(struct listing *listing)
{
    published_data_clear(&listing->shipped);
}

static void tell(void *user, const struct figure *figure)
{
    const struct listing *listing = user;

    present_figure(listing->out, figure, published_has(&listing->shipped, figure->id));
}

static bool write_figures(struct db *db, struct json_writer *out, struct error *err)
{
    AUTO(listing_clear) struct listing listing = {.out = out};

    return published_shipped(&listing.shipped, err) && figures_each(db, tell, &listing, err);
}

/* Whether the id is that of a figure that comes with the program. */
static bool look_shipped(const char *id, bool *ret_shipped, struct error *err)
{
    AUTO(published_data_clear) struct published_data data = {0};

    if (!published_shipped(&data, err))
        return false;
    *ret_shipped = published_has(&data, id);
    return true;
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
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(db_loan_end) struct db_loan loan = {0};
    AUTO(figure_clear) struct figure figure = {0};
    AUTO(json_decrefp) json_t *json = NULL;
    struct error err = {0};
    bool shipped;

    json = request_json(exchange, &err);
    if (!json || !published_read_figure(json, &figure, &err)) {
        reply_error(exchange, &err);
        return;
    }
    loan = db_borrow(exchange->server->pool);
    if (!look_shipped(figure.id, &shipped, &err) || !store(loan.db, &figure, &err)) {
        reply_error(exchange, &err);
        return;
    }
    present_figure(&out, &figure, shipped);
    reply_json(exchange, 201, &out);
}

void figures_list_handler(struct exchange *exchange)
{
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct error err = {0};

    loan = db_borrow(exchange->server->pool);
    jsonw_open(&out, NULL, '{');
    jsonw_open(&out, "figures", '[');
    if (!write_figures(loan.db, &out, &err)) {
        reply_error(exchange, &err);
        return;
    }
    jsonw_close(&out, ']');
    jsonw_close(&out, '}');
    reply_json(exchange, 200, &out);
}

/* What comes with the program would come back with its next version. */
static bool is_removable(const char *id, struct error *err)
{
    bool shipped;

    if (!look_shipped(id, &shipped, err))
        return false;
    return !shipped ||
           error_set(err, ERROR_CONFLICT, NULL,
                     "the figure '%.63s' comes with pennyworth: POST a figure of this "
                     "id to put it right",
                     id);
}

static bool take_away(struct db *db, const char *id, struct figure *ret_figure, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    AUTO(figure_clear) struct figure figure = {0};

    if (!transaction_begin(&change, db, DB_DURABLE, err) ||
        !figures_remove(db, id, &figure, err) || !is_removable(id, err) ||
        !transaction_commit(&change, err))
        return false;
    *ret_figure = figure;
    figure.configuration = NULL;
    return true;
}

/* Answers with the figure, so that it can be stored again. */
void figures_remove_handler(struct exchange *exchange)
{
    const struct router_match *match = &exchange->request.match;
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(db_loan_end) struct db_loan loan = {0};
    AUTO(figure_clear) struct figure figure = {0};
    struct taken_back taken;
    struct error err = {0};
    char id[QUERY_WORD_MAX];

    taking_back_read_query(exchange, &taken);
    snprintf(id, sizeof id, "%.*s", (int)match->id_length, match->id);
    loan = db_borrow(exchange->server->pool);
    if (!take_away(loan.db, id, &figure, &err)) {
        reply_error(exchange, &err);
        return;
    }
    taking_back_note(exchange, "figure removed", id, taken.reason);
    present_figure(&out, &figure, false);
    reply_json(exchange, 200, &out);
}
