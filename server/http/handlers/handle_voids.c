/* /v1/runs/{id}/void: voids and restores a run. Tested by tests/api/test_taking_back.py. */
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

/* Wakes the readers of the run and of its sweep, whose result has changed. */
static void voids_announce(const struct exchange *exchange, const struct run *run)
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
static void voids_change(struct exchange *exchange, change_fn *function, const char *did,
                         const struct taken_back *taken)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    AUTO(run_clear) struct run run = {0};
    struct error err = {0};
    bool changed;

    if (!function(loan.db, exchange->request.id.text, taken, &run, &changed, &err)) {
        reply_error(exchange, &err);
        return;
    }
    if (changed) {
        taking_back_note(exchange, did, run.id.text, taken->reason);
        voids_announce(exchange, &run);
    }
    reply_object(exchange, 200, &run_members, &run);
}

void voids_create_handler(struct exchange *exchange)
{
    struct taken_back taken;

    if (taking_back_read_body(exchange, &taken))
        voids_change(exchange, voids_put, "run voided", &taken);
}

void voids_lift_handler(struct exchange *exchange)
{
    struct taken_back taken;

    taking_back_read_query(exchange, &taken);
    voids_change(exchange, voids_lift, "void lifted", &taken);
}

static const struct member void_rows[] = {
    {MEMBER_OBJECT_AT(struct void_row, "voided", voided), .members = &taken_back_members},
    {MEMBER_OBJECT_AT(struct void_row, "lifted", lifted), .members = &taken_back_members,
     .nullable = true, .meaning = "null while it is in force."},
    {0},
};
static const struct members void_members = {.rows = void_rows};

struct void_list {
    struct db *db;
    const char *run;
    struct error *err; /* set where reading them failed */
};

static void write_void(void *user, const struct void_row *row)
{
    members_write(user, NULL, &void_members, row);
}

static void write_voids(struct json_writer *out, const struct member *row, const void *object)
{
    const struct void_list *list = object;

    jsonw_open(out, row->name, '[');
    (void)!voids_each(list->db, list->run, write_void, out, list->err);
    jsonw_close(out, ']');
}

static const struct member void_list_rows[] = {
    {MEMBER_LIST_OF("voids", &void_members), .write = write_voids},
    {0},
};
const struct members void_list_members = {.name = "VoidList", .rows = void_list_rows};

void voids_list_handler(struct exchange *exchange)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    struct error err = {0};

    reply_list(exchange, &void_list_members,
               &(struct void_list){loan.db, exchange->request.id.text, &err}, &err);
}
