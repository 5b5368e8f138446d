/* /v1/runs: queues, lists, shows and cancels runs. Tested by tests/api/test_runs.py. */
#include "answers/compare/unmatched_lists.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "db/runs/run_list.h"
#include "db/runs/runs.h"
#include "engine/run/run_request.h"
#include "server/http/access.h"
#include "server/http/api/runs.h"
#include "server/http/handlers/handlers.h"
#include "server/http/hold.h"
#include "server/http/json/present_run.h"
#include "server/http/negotiate.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

static void reply_run(struct exchange *exchange, int status, struct run *run)
{
    struct progress progress;

    if (run->state == RUN_RUNNING &&
        notifications_get_progress(exchange->server->notifications, run->id.text,
                                   clock_monotonic_ns(), &progress))
        run->progress = &progress;
    reply_object(exchange, status, &run_members, run);
    run->progress = NULL;
}

/* Replies if the run has ended or the wait is over; else holds the answer further. */
static void go_on_run(struct exchange *exchange)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    bool created = strcmp(exchange->request.method, "POST") == 0;

    for (;;) {
        AUTO(run_clear) struct run run = {0};
        bool closed = hold_is_closed(exchange);
        struct error err = {0};

        if (!runs_find(loan.db, exchange->hold.id.text, &run, &err)) {
            reply_error(exchange, &err);
            return;
        }
        if (run_state_is_final(run.state) || hold_is_over(exchange, closed)) {
            reply_run(exchange, created ? 201 : 200, &run);
            return;
        }
        if (hold_sleep(exchange))
            return;
    }
}

/* Holds the answer until the run ends or the wait is over. */
static void runs_hold(struct exchange *exchange, const struct run_id *id, long long seconds)
{
    hold_begin(exchange, &(struct topic){TOPIC_RUN, *id}, seconds, go_on_run);
}

/* Repeats the answer of the first POST: a retry must get the same. */
static void reply_first_answer(struct exchange *exchange, const struct run *run)
{
    struct run first = {
        .id = run->id, .state = RUN_QUEUED, .spec = run->spec, .created_us = run->created_us};

    memcpy(first.instance, run->instance, sizeof first.instance);
    reply_object(exchange, 201, &run_members, &first);
}

/* Owns the strings that an order points to. */
struct order_parts {
    struct run_spec spec;
    char key[IDEMPOTENCY_KEY_MAX + 1];
    struct identity identity;
    struct access_spending spending;
};

static bool read_order(struct exchange *exchange, struct order_parts *parts,
                       struct run_order *order, struct error *err)
{
    struct run_spec *spec = &parts->spec;
    const char *header = exchange->request.headers.idempotency_key;
    const char *body = exchange->request.body.data ? exchange->request.body.data : "";
    struct place place = exchange->server->this_machine->place;

    if (!run_request_from_text(body, exchange->request.body.used, &place, spec, err))
        return false;
    if (spec->max_dollars > 0) {
        AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);

        place = this_machine_place(exchange->server->this_machine, loan.db);
    }
    if (!spec_fits(spec, &place, err))
        return false;
    this_machine_identity(exchange->server->this_machine, &parts->identity);
    if (header && !idempotency_key_read(header, parts->key))
        return error_set(err, ERROR_INVALID, "Idempotency-Key",
                         "must have 1 to %d printable ASCII characters", IDEMPOTENCY_KEY_MAX);
    *order = (struct run_order){.spec = spec,
                                .idempotency_key = header ? parts->key : NULL,
                                .instance = parts->identity.instance_type,
                                .now_us = clock_calendar_us(),
                                .queue_limit = exchange->server->config->queue_limit,
                                .may = access_may_queue,
                                .user = &parts->spending};
    parts->spending = (struct access_spending){.exchange = exchange};
    return true;
}

static bool runs_create_ordered(struct exchange *exchange, const struct run_order *order,
                                struct run *ret_run, bool *ret_replayed, struct error *err)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);

    return runs_create(loan.db, order, ret_run, ret_replayed, err);
}

static void runs_tell_queued(const struct exchange *exchange)
{
    access_count_runs(exchange, 1);
    runner_wake(exchange->server->runner);
}

void runs_create_handler(struct exchange *exchange)
{
    const struct wait_question *asked = exchange->request.parameters;
    long long seconds = request_wait(exchange, asked->wait);
    AUTO(run_clear) struct run run = {0};
    struct order_parts parts;
    struct run_order order;
    struct error err = {0};
    bool replayed;

    if (!request_may_queue(exchange))
        return;
    if (!read_order(exchange, &parts, &order, &err) ||
        !runs_create_ordered(exchange, &order, &run, &replayed, &err)) {
        if (exchange->reply.status == 0)
            reply_error(exchange, &err);
        return;
    }
    if (!replayed)
        runs_tell_queued(exchange);
    reply_field(exchange, "Location", "/v1/runs/%s", run.id.text);
    if (replayed)
        reply_field(exchange, "Idempotent-Replayed", "true");
    if (seconds > 0)
        runs_hold(exchange, &run.id, seconds);
    else
        reply_first_answer(exchange, &run);
}

void runs_show_handler(struct exchange *exchange)
{
    const struct wait_question *asked = exchange->request.parameters;
    long long seconds = request_wait(exchange, asked->wait);
    AUTO(run_clear) struct run run;
    struct error err = {0};

    run_empty(&run);
    if (seconds > 0) {
        runs_hold(exchange, &exchange->request.id, seconds);
        return;
    }
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    if (runs_find(loan.db, exchange->request.id.text, &run, &err))
        reply_run(exchange, 200, &run);
    else
        reply_error(exchange, &err);
}

/* Separate from the run, because it is ten times as long and few clients need it. */
void implementations_handler(struct exchange *exchange)
{
    AUTO(db_loan_end) struct db_loan loan = {0};
    AUTO(run_clear) struct run run = {0};
    struct error err = {0};

    loan = db_borrow(exchange->server->pool);
    if (!runs_implementations(loan.db, exchange->request.id.text, &run.implementations, &err))
        reply_error(exchange, &err);
    else
        reply_object(exchange, 200, &implementation_list_members, &run);
}

void runs_cancel_handler(struct exchange *exchange)
{
    AUTO(run_clear) struct run run = {0};
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct error err = {0};

    loan = db_borrow(exchange->server->pool);
    if (!runs_cancel(loan.db, exchange->request.id.text, clock_calendar_us(), &run, &err)) {
        reply_error(exchange, &err);
        return;
    }
    if (run.state == RUN_RUNNING &&
        !runner_cancel(exchange->server->runner, exchange->request.id.text)) {
        /* The run ended between the two queries. */
        error_set(&err, ERROR_CONFLICT, NULL, "the run has ended already");
        reply_error(exchange, &err);
        return;
    }
    notifications_tell(exchange->server->notifications, exchange->request.id.text,
                       clock_monotonic_ns());
    if (run.sweep.text[0]) {
        notifications_publish(exchange->server->notifications,
                              &(struct topic){TOPIC_SWEEP, run.sweep}, clock_monotonic_ns());
        if (run.state != RUN_RUNNING)
            runner_advance_sweeps(exchange->server->runner);
    }
    reply_run(exchange, run.state == RUN_RUNNING ? 202 : 200, &run);
}

void runs_list_handler(struct exchange *exchange)
{
    AUTO(db_loan_end) struct db_loan loan = {0};
    AUTO(run_list_free) struct run_list list = {0};
    const struct run_conditions *asked = exchange->request.parameters;
    const struct run_filter *filter = &asked->filter;
    struct page page = {.limit = filter->limit};
    struct run_page shown = {.page = &page, .list = &list};
    struct error err = {0};

    loan = db_borrow(exchange->server->pool);
    if (!run_list_load(loan.db, filter, &list, &err) ||
        (list.count == 0 && !filter->before &&
         !unmatched_runs(loan.db, filter, &page.unmatched, &err))) {
        reply_error(exchange, &err);
        return;
    }
    run_page_end(&list, &page);
    reply_object(exchange, 200, &run_list_members, &shown);
}
