/* /v1/feeds, /v1/machine: the state of the price feeds, and the machine this server runs on.
 * Tested by tests/api/test_refresh.py. */
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/present_feed.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"
#include "server/prices/price_json.h"

/* The scopes of one feed. */
struct scopes_seen {
    struct feed_row *rows;
    size_t count, room;
};

static void feeds_collect(void *user, const struct feed_row *row)
{
    struct scopes_seen *seen = user;

    seen->rows = xgrow(seen->rows, seen->count, &seen->room, sizeof *seen->rows);
    seen->rows[seen->count++] = *row;
}

/* All feeds. */
struct feed_list {
    const struct server *server;
    struct db *db;
    struct error *err; /* set where reading them failed */
};

static bool write_feed(const struct feed_list *list, const struct feed *feed,
                       struct json_writer *out)
{
    struct scopes_seen seen = {0};
    struct feed_view view = {.feed = feed, .now_us = clock_calendar_us()};
    char idle[160];
    bool ok = feed_rows_each(list->db, feed->source->name, feeds_collect, &seen, list->err);

    if (ok) {
        view.on = refresher_plan(list->server->refresher, feed->source->name, &view.due_us, idle);
        view.idle = idle;
        view.rows = seen.rows;
        view.count = seen.count;
        members_write(out, NULL, &feed_members, &view);
    }
    free(seen.rows);
    return ok;
}

static void write_feeds(struct json_writer *out, const struct member *row, const void *object)
{
    const struct feed_list *list = object;
    const struct feeds *feeds = list->server->feeds;
    bool ok = true;

    jsonw_open(out, row->name, '[');
    for (size_t i = 0; ok && i < feeds->count; i++)
        ok = write_feed(list, &feeds->list[i], out);
    jsonw_close(out, ']');
}

static void write_refresh(struct json_writer *out, const struct member *row, const void *object)
{
    const struct feed_list *list = object;
    struct refresh_progress progress;

    refresher_progress(list->server->refresher, &progress);
    members_write(out, row->name, row->members, &progress);
}

static const struct member feed_list_rows[] = {
    {MEMBER_WRITTEN("refresh", MEMBER_OBJECT, write_refresh), .members = &refresh_members},
    {MEMBER_LIST_OF("feeds", &feed_members), .write = write_feeds},
    {0},
};
const struct members feed_list_members = {
    .name = "FeedList", .meaning = "All feeds.", .rows = feed_list_rows};

void feeds_list_handler(struct exchange *exchange)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    struct error err = {0};

    reply_list(exchange, &feed_list_members, &(struct feed_list){exchange->server, loan.db, &err},
               &err);
}

/* The known facts of the server's machine. */
struct machine_view {
    const char *fingerprint;
    struct identity identity;
    struct priced_machine priced;
};

static const struct member feed_machine_rows[] = {
    {MEMBER_AS(struct machine_view, "machine", fingerprint),
     .meaning = "Its fingerprint: see /v1/machines."},
    {MEMBER_OBJECT_AT(struct machine_view, "identity", identity), .members = &identity_members},
    {MEMBER_AS(struct machine_view, "terms", identity.terms), .nullable = true,
     .meaning = "Charges beyond plain Linux on shared hardware, as far as "
                "its cloud tells, like Red Hat Enterprise Linux or a dedicated host. Then no "
                "feed has its price."},
    {MEMBER_ROWS_AT(struct machine_view, priced, &machine_price_members)},
    {0},
};
const struct members this_machine_members = {
    .name = "ThisMachine", .meaning = "This machine and its price.", .rows = feed_machine_rows};

void machine_handler(struct exchange *exchange)
{
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct this_machine *here = exchange->server->this_machine;
    struct machine_price price;
    struct machine_view view = {.fingerprint = here->machine.fingerprint,
                                .priced = {&price, clock_calendar_us()}};
    struct error err = {0};

    loan = db_borrow(exchange->server->pool);
    this_machine_identity(here, &view.identity);
    if (!this_machine_price(here, loan.db, view.priced.at_us, &price, &err))
        reply_error(exchange, &err);
    else
        reply_object(exchange, 200, &this_machine_members, &view);
}
