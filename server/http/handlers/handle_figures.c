/* /v1/figures: published figures, those shipped and those a user adds.
 * Tested by tests/api/test_published.py and tests/api/test_taking_back.py. */
#include "common/cleanup.h"
#include "common/rows/members.h"
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

/* A figure, and whether it is shipped with the program. */
struct figure_view {
    const struct figure *figure;
    bool shipped;
};

static bool is_job(const struct figure *figure)
{
    return strcmp(figure->unit, "job") == 0;
}

MEMBER_FINDS(find_figure, struct figure_view, view, view->figure)
MEMBER_WRITES(write_samples, number, struct figure, figure,
              is_job(figure) ? NAN : figure->samples_per_second)
MEMBER_WRITES(write_seconds, number, struct figure, figure,
              is_job(figure) ? seconds_of(figure->samples_per_second) : NAN)

static const char *const units[] = {"sample", "job", NULL};

static const struct member stored_figure_rows[] = {
    {MEMBER(struct figure, id), .filled = true},
    {MEMBER(struct figure, workload)},
    {MEMBER(struct figure, engine)},
    {MEMBER(struct figure, provider), .nullable = true},
    {MEMBER_AS(struct figure, "instance_type", instance), .nullable = true},
    {MEMBER_JSON_AT(struct figure, "configuration", configuration),
     .schema = "{\"type\": \"object\"}", .meaning = "In the publisher's own words."},
    {MEMBER(struct figure, unit), .words = units},
    {MEMBER_WRITTEN("samples_per_second", MEMBER_NUMBER, write_samples), .nullable = true,
     .range = MEMBER_POSITIVE},
    {MEMBER_WRITTEN("seconds_per_job", MEMBER_NUMBER, write_seconds), .nullable = true,
     .range = MEMBER_POSITIVE},
    {MEMBER(struct figure, derived), .meaning = "Computed from other published numbers."},
    {MEMBER(struct figure, source)},
    {MEMBER(struct figure, note), .nullable = true},
    {MEMBER_TIME_AT(struct figure, "measured_at", measured_us),
     .meaning = "The day of the measurement, or else of the publication; the first of the month "
                "where only the month is known."},
    {0},
};
static const struct members stored_members = {.rows = stored_figure_rows};

static const struct member figure_rows[] = {
    {MEMBER_ROWS(&stored_members), .find = find_figure},
    {MEMBER(struct figure_view, shipped),
     .meaning = "It comes with pennyworth, and cannot be removed."},
    {0},
};
const struct members figure_members = {
    .name = "Figure",
    .meaning = "A published speed. One of `samples_per_second` and `seconds_per_job` is null, by "
               "`unit`: where only the time of a whole job is known, its samples are not.",
    .rows = figure_rows};

/* All of them. */
struct figure_list {
    struct db *db;
    const struct published_data *shipped;
    struct error *err; /* set where reading them failed */
};

struct figure_writer {
    struct json_writer *out;
    const struct published_data *shipped;
};

static void figures_announce(void *user, const struct figure *figure)
{
    const struct figure_writer *writer = user;
    const struct figure_view view = {figure, published_has(writer->shipped, figure->id)};

    members_write(writer->out, NULL, &figure_members, &view);
}

static void write_figures(struct json_writer *out, const struct member *row, const void *object)
{
    const struct figure_list *list = object;
    struct figure_writer writer = {out, list->shipped};

    jsonw_open(out, row->name, '[');
    (void)!figures_each(list->db, figures_announce, &writer, list->err);
    jsonw_close(out, ']');
}

static const struct member figure_list_rows[] = {
    {MEMBER_LIST_OF("figures", &figure_members), .write = write_figures},
    {0},
};
const struct members figure_list_members = {
    .name = "FigureList", .meaning = "Published figures.", .rows = figure_list_rows};

/* Whether the id is of a shipped figure. */
static bool look_shipped(const char *id, bool *ret_shipped, struct error *err)
{
    AUTO(published_data_clear) struct published_data data = {0};

    if (!published_shipped(&data, err))
        return false;
    *ret_shipped = published_has(&data, id);
    return true;
}

static bool figures_store(struct db *db, const struct figure *figure, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    return transaction_begin(&change, db, DB_DURABLE, err) && revision_touch(db, err) &&
           figures_put(db, figure, err) && transaction_commit(&change, err);
}

/* A known id replaces the stored figure. */
void figures_create_handler(struct exchange *exchange)
{
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
    if (!look_shipped(figure.id, &shipped, &err) || !figures_store(loan.db, &figure, &err))
        reply_error(exchange, &err);
    else
        reply_object(exchange, 201, &figure_members, &(struct figure_view){&figure, shipped});
}

void figures_list_handler(struct exchange *exchange)
{
    AUTO(published_data_clear) struct published_data shipped = {0};
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    struct error err = {0};

    if (published_shipped(&shipped, &err))
        reply_list(exchange, &figure_list_members, &(struct figure_list){loan.db, &shipped, &err},
                   &err);
    else
        reply_error(exchange, &err);
}

/* A shipped figure would return with the next version. */
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
    reply_object(exchange, 200, &figure_members, &(struct figure_view){&figure, false});
}
