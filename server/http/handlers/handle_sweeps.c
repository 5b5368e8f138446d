/* /v1/sweeps: queues, lists, shows and cancels sweeps. Tested by tests/api/test_sweeps.py. */
#include "common/cleanup.h"

#include "common/clock.h"
#include "common/json_text.h"
#include "common/limits.h"
#include "db/runs/sweeps.h"
#include "server/base/cursor.h"
#include "server/http/access.h"
#include "server/http/api/runs.h"
#include "server/http/api/sweeps.h"
#include "server/http/handlers/handlers.h"
#include "server/http/handlers/sweep_parts.h"
#include "server/http/hold.h"
#include "server/http/json/page.h"
#include "server/http/json/present_sweep.h"
#include "server/http/json/present_sweep_csv.h"
#include "server/http/negotiate.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"
#include "server/runs/sweep_queue.h"

static void reply_sweep(struct exchange *exchange, int status, const char *id)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    AUTO(sweep_parts_clear) struct sweep_parts parts = {0};
    struct error err = {0};

    if (!sweep_parts_load(loan.db, id, &parts, &err))
        reply_error(exchange, &err);
    else
        reply_object(exchange, status, &sweep_members, &parts.view);
}

/* The stored request: the body on one line, with the preset of /v1/aa. */
static char *request_text(const struct exchange *exchange, bool is_aa, struct error *err)
{
    AUTO(json_decrefp) json_t *json = request_json(exchange, err);

    if (!json)
        return NULL;
    if (is_aa && json_object_get(json, "preset")) {
        error_set(err, ERROR_INVALID, "preset", "is aa on this path: leave it out");
        return NULL;
    }
    if (is_aa)
        json_object_set_new(json, "preset", json_string("aa"));
    return json_text(json);
}

static bool sweeps_create_from_text(struct exchange *exchange, const char *text, const char *key,
                                    struct run_id *ret_id, struct error *err)
{
    struct access_spending spending = {.exchange = exchange};
    bool replayed = false;
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    const struct sweep_wish wish = {.queue_limit = exchange->server->config->queue_limit,
                                    .text = text,
                                    .key = key,
                                    .may = access_may_queue,
                                    .user = &spending};

    if (!sweep_queue(loan.db, exchange->server->this_machine, &wish, ret_id, &replayed, err))
        return false;
    if (replayed)
        reply_field(exchange, "Idempotent-Replayed", "true");
    else
        access_count_runs(exchange, spending.runs);
    return true;
}

static void create_sweep(struct exchange *exchange, bool is_aa)
{
    const char *header = exchange->request.headers.idempotency_key;
    char key[IDEMPOTENCY_KEY_MAX + 1];
    AUTO(freep) char *text = NULL;
    struct error err = {0};
    struct run_id id;

    if (!request_may_queue(exchange))
        return;
    if (header && !idempotency_key_read(header, key)) {
        reply_problem(exchange, 400, "Idempotency-Key",
                      "must have 1 to %d printable ASCII characters", IDEMPOTENCY_KEY_MAX);
        return;
    }
    text = request_text(exchange, is_aa, &err);
    if (!text || !sweeps_create_from_text(exchange, text, header ? key : NULL, &id, &err)) {
        if (exchange->reply.status == 0)
            reply_error(exchange, &err);
        return;
    }
    runner_wake(exchange->server->runner);
    reply_field(exchange, "Location", "/v1/sweeps/%s", id.text);
    reply_sweep(exchange, 201, id.text);
}

void sweeps_create_handler(struct exchange *exchange)
{
    create_sweep(exchange, false);
}

void aa_create_handler(struct exchange *exchange)
{
    create_sweep(exchange, true);
}

static void reply_table(struct exchange *exchange, const struct sweep_view *view)
{
    struct error err = {0};

    if (!present_sweep_csv(&exchange->reply.body, view)) {
        bytes_too_long(&exchange->reply.body, "the answer", &err);
        reply_error(exchange, &err);
        return;
    }
    exchange->reply.status = 200;
    exchange->reply.content_type = "text/csv; charset=utf-8";
}

/* The sweep as it is now. */
static void sweeps_show(struct exchange *exchange, const char *id)
{
    AUTO(db_loan_end) struct db_loan loan = {0};
    AUTO(sweep_parts_clear) struct sweep_parts parts = {0};
    struct error err = {0};
    bool csv;

    if (!request_form(exchange, &csv))
        return;
    if (!csv) {
        reply_sweep(exchange, 200, id);
        return;
    }
    loan = db_borrow(exchange->server->pool);
    if (sweep_parts_load(loan.db, id, &parts, &err))
        reply_table(exchange, &parts.view);
    else
        reply_error(exchange, &err);
}

static bool has_ended(struct exchange *exchange, bool *ret_ended, struct error *err)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    AUTO(sweep_row_clear) struct sweep_row row = {0};

    if (!sweeps_find(loan.db, exchange->hold.id.text, &row, err))
        return false;
    *ret_ended = row.state != SWEEP_RUNNING;
    return true;
}

/* Replies if the sweep has ended or the wait is over; else holds the answer further. */
static void go_on_sweep(struct exchange *exchange)
{
    for (;;) {
        bool closed = hold_is_closed(exchange), ended;
        struct error err = {0};

        if (!has_ended(exchange, &ended, &err)) {
            reply_error(exchange, &err);
            return;
        }
        if (ended || hold_is_over(exchange, closed)) {
            sweeps_show(exchange, exchange->hold.id.text);
            return;
        }
        if (hold_sleep(exchange))
            return;
    }
}

void sweeps_show_handler(struct exchange *exchange)
{
    const struct wait_question *asked = exchange->request.parameters;
    long long seconds = request_wait(exchange, asked->wait);
    const struct run_id *id = &exchange->request.id;
    bool csv;

    if (!request_form(exchange, &csv))
        return;
    if (seconds > 0)
        hold_begin(exchange, &(struct topic){TOPIC_SWEEP, *id}, seconds, go_on_sweep);
    else
        sweeps_show(exchange, id->text);
}

/* What a list answers with. */
struct sweep_list {
    struct page *page; /* first: page_cursor_members */
    struct db *db;
    long long before;
};

struct sweep_writer {
    struct json_writer *out;
    struct page *page;
};

static void write_head(void *user, const struct sweep_row *row)
{
    const struct sweep_writer *writer = user;

    if (!page_takes(writer->page))
        return;
    cursor_write(row->number, writer->page->last);
    members_write(writer->out, NULL, &sweep_head_members, row);
}

/* One row more than a page holds shows that there is a next page. */
static void write_sweeps(struct json_writer *out, const struct member *row, const void *object)
{
    const struct sweep_list *list = object;
    struct page *page = list->page;
    struct sweep_writer writer = {out, page};

    jsonw_open(out, row->name, '[');
    (void)!sweeps_each(list->db, list->before, page->limit + 1, write_head, &writer, &page->err);
    jsonw_close(out, ']');
}

static const struct member sweep_list_rows[] = {
    {MEMBER_LIST_OF("sweeps", &sweep_head_members), .write = write_sweeps,
     .most = SWEEP_LIST_MAX},
    {MEMBER_ROWS(&page_cursor_members)},
    {0},
};
const struct members sweep_list_members = {.name = "SweepList", .rows = sweep_list_rows};

void sweeps_list_handler(struct exchange *exchange)
{
    const struct sweeps_question *asked = exchange->request.parameters;
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    struct page page = {.limit = asked->limit};
    const struct sweep_list list = {&page, loan.db, asked->before};

    reply_list(exchange, &sweep_list_members, &list, &page.err);
}

static bool sweeps_exists(struct db *db, const char *id, struct error *err)
{
    AUTO(sweep_row_clear) struct sweep_row row = {0};

    return sweeps_find(db, id, &row, err);
}

void sweeps_cancel_handler(struct exchange *exchange)
{
    AUTO(sweep_parts_clear) struct sweep_parts parts = {0};
    struct error err = {0};
    const struct run_id *id = &exchange->request.id;

    {
        AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);

        if (!sweeps_exists(loan.db, id->text, &err) ||
            !sweeps_end(loan.db, id->text, SWEEP_CANCELLED, clock_calendar_us(), &err) ||
            !sweep_parts_load(loan.db, id->text, &parts, &err)) {
            reply_error(exchange, &err);
            return;
        }
    }
    for (size_t i = 0; i < parts.view.run_count; i++) {
        if (parts.runs[i].run.state == RUN_RUNNING)
            runner_cancel(exchange->server->runner, parts.runs[i].id.text);
        notifications_tell(exchange->server->notifications, parts.runs[i].id.text,
                           clock_monotonic_ns());
    }
    notifications_publish(exchange->server->notifications, &(struct topic){TOPIC_SWEEP, *id},
                          clock_monotonic_ns());
    reply_sweep(exchange, 200, id->text);
}
