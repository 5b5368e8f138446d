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

static void collect(void *user, const struct feed_row *row)
{
    struct scopes_seen *seen = user;

    seen->rows = xgrow(seen->rows, seen->count, &seen->room, sizeof *seen->rows);
    seen->rows[seen->count++] = *row;
}

static bool present_one(struct exchange *exchange, struct db *db, const struct feed *feed,
                        struct json_writer *out, struct error *err)
{
    struct scopes_seen seen = {0};
    struct feed_view view = {.feed = feed, .now_us = clock_calendar_us()};
    char idle[160];
    bool ok = feed_rows_each(db, feed->source->name, collect, &seen, err);

    if (ok) {
        view.on =
            refresher_plan(exchange->server->refresher, feed->source->name, &view.due_us, idle);
        view.idle = idle;
        view.rows = seen.rows;
        view.count = seen.count;
        present_feed(out, &view);
    }
    free(seen.rows);
    return ok;
}

void feeds_list_handler(struct exchange *exchange)
{
    const struct feeds *feeds = exchange->server->feeds;
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct refresh_progress progress;
    struct error err = {0};

    loan = db_borrow(exchange->server->pool);
    refresher_progress(exchange->server->refresher, &progress);
    jsonw_open(&out, NULL, '{');
    present_refresh(&out, "refresh", &progress);
    jsonw_open(&out, "feeds", '[');
    for (size_t i = 0; i < feeds->count; i++)
        if (!present_one(exchange, loan.db, &feeds->list[i], &out, &err)) {
            reply_error(exchange, &err);
            return;
        }
    jsonw_close(&out, ']');
    jsonw_close(&out, '}');
    reply_json(exchange, 200, &out);
}

void machine_handler(struct exchange *exchange)
{
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(db_loan_end) struct db_loan loan = {0};
    long long now_us = clock_calendar_us();
    struct machine_price price;
    struct identity identity;
    struct error err = {0};

    loan = db_borrow(exchange->server->pool);
    this_machine_identity(exchange->server->this_machine, &identity);
    if (!this_machine_price(exchange->server->this_machine, loan.db, now_us, &price, &err)) {
        reply_error(exchange, &err);
        return;
    }
    jsonw_open(&out, NULL, '{');
    jsonw_text(&out, "machine", exchange->server->this_machine->machine.fingerprint);
    present_identity(&out, "identity", &identity);
    jsonw_text(&out, "terms", identity.terms[0] ? identity.terms : NULL);
    present_machine_price(&out, &price, now_us);
    jsonw_close(&out, '}');
    reply_json(exchange, 200, &out);
}
