/* /v1/runs/{id}/void: takes a run back, and counts it again.
 * Tested by tests/api/test_taking_back.py. */
#include "common/cleanup.h"
#include "common/clock.h"
#include "db/runs/voids.h"
#include "server/base/taken_back_json.h"
#include "server/http/handlers/handlers.h"
#include "server/http/handlers/taking_back.h"
#include "server/http/json/present_run.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

/* Wakes the readers of the run and of its sweep, whose result is another one now. */
static void announce(const struct exchange *exchange, const struct run *run)
{
    struct notifications *notifications = exchange->server->notifications;
    long long now_ns = clock_monotonic_ns();

    notifications_tell(notifications, run->id.text, now_ns);
    if (run->sweep.text[0])
        notifications_publish(notifications, &(struct topic){TOPIC_SWEEP, run->sweep}, now_ns);
}

typedef bool change_fn(struct db *db, const char *id, const struct taken_back *taken,
                       struct run *ret_run, bool *ret_changed, struct error *err);

/* Does one or the other, and answers with the run. */
static void change(struct exchange *exchange, change_fn *function, const char *did,
                   const struct taken_back *taken)
{
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(db_loan_end) struct db_loan loan = {0};
    AUTO(run_clear) struct run run = {0};
    struct error err = {0};
    struct run_id id;
    bool changed;

    if (!request_run_id(exchange, &id))
        return;
    loan = db_borrow(exchange->server->pool);
    if (!function(loan.db, id.text, taken, &run, &changed, &err)) {
        reply_error(exchange, &err);
        return;
    }
    if (changed) {
        taking_back_note(exchange, did, run.id.text, taken->reason);
        announce(exchange, &run);
    }
    present_run(&out, NULL, &run, NULL);
    reply_json(exchange, 200, &out);
}

void voids_create_handler(struct exchange *exchange)
{
    struct taken_back taken;

    if (taking_back_read_body(exchange, &taken))
        change(exchange, voids_put, "run voided", &taken);
}

void voids_lift_handler(struct exchange *exchange)
{
    struct taken_back taken;

    taking_back_read_query(exchange, &taken);
    change(exchange, voids_lift, "void lifted", &taken);
}

static void write_void(void *user, const struct void_row *row)
{
    struct json_writer *out = user;

    jsonw_open(out, NULL, '{');
    present_taken_back(out, "voided", &row->voided);
    present_taken_back(out, "lifted", &row->lifted);
    jsonw_close(out, '}');
}

void voids_list_handler(struct exchange *exchange)
{
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct error err = {0};
    struct run_id id;

    if (!request_run_id(exchange, &id))
        return;
    loan = db_borrow(exchange->server->pool);
    jsonw_open(&out, NULL, '{');
    jsonw_open(&out, "voids", '[');
    if (!voids_each(loan.db, id.text, write_void, &out, &err)) {
        reply_error(exchange, &err);
        return;
    }
    jsonw_close(&out, ']');
    jsonw_close(&out, '}');
    reply_json(exchange, 200, &out);
}
