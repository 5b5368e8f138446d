/* /v1/prices: hourly prices, current and past, from feeds and from users.
 * Tested by tests/api/test_prices.py. */
#include "common/cleanup.h"

#include "answers/compare/unmatched_lists.h"
#include "common/clock.h"
#include "common/known_names.h"
#include "common/limits.h"
#include "common/memory.h"
#include "db/prices/price_list.h"
#include "db/prices/price_put.h"
#include "db/prices/withdrawals.h"
#include "pricing/feeds/manual_price.h"
#include "pricing/machine/bill.h"
#include "pricing/parse_time.h"
#include "server/api/prices.h"
#include "server/base/cursor.h"
#include "server/http/handlers/handlers.h"
#include "server/http/handlers/taking_back.h"
#include "server/http/json/present_feed.h"
#include "server/http/json/present_unmatched.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"
#include "server/prices/price_json.h"
#include "server/prices/typed_later.h"

#include <stdint.h>

struct page {
    struct json_writer *out;
    const struct discount_list *discounts;
    long long limit, count, last, at_us;
    bool said; /* a feed or a user has a price, not only a published figure */
};

static void tell(void *user, const struct price_view *view)
{
    struct page *page = user;

    if (page->count++ == page->limit)
        return;
    page->last = view->series;
    page->said |= strcmp(view->price.feed, PUBLISHED_FEED) != 0;
    present_price(page->out, NULL, view, page->discounts, page->at_us);
}

/* Writes why a feed has no price for the filter. */
struct absence {
    struct json_writer *out;
    const struct source *source;
    bool read;
    const char *reason;
    char text[300];
};

static void look_at_scope(void *user, const struct feed_row *row)
{
    struct absence *absence = user;

    absence->read |= row->confirmed_us > 0;
    if (strcmp(row->state, "failed") == 0 && !absence->text[0])
        snprintf(absence->text, sizeof absence->text, "failed: %s", row->reason);
}

static bool explain_absence(struct exchange *exchange, struct db *db, struct json_writer *out,
                            const char *provider, struct error *err)
{
    const struct feeds *feeds = exchange->server->feeds;

    for (size_t i = 0; i < feeds->count; i++) {
        const struct source *source = feeds->list[i].source;
        struct absence absence = {.source = source};
        long long due_us;
        char idle[160];

        if (provider && *source->provider && strcmp(provider, source->provider) != 0)
            continue;
        bool on = refresher_plan(exchange->server->refresher, source->name, &due_us, idle);

        if (!feed_rows_each(db, source->name, look_at_scope, &absence, err))
            return false;
        if (!on)
            absence.reason = "switched off";
        else if (absence.text[0])
            absence.reason = absence.text;
        else if (!absence.read)
            absence.reason = idle[0] ? idle : "never read yet";
        else
            absence.reason = "not in the feed";
        jsonw_open(out, NULL, '{');
        jsonw_text(out, "feed", source->name);
        jsonw_text(out, "reason", absence.reason);
        jsonw_close(out, '}');
    }
    return true;
}

static bool write_page(struct exchange *exchange, struct db *db, struct page *page,
                       const struct price_filter *filter, bool history, struct error *err)
{
    struct unmatched_list unmatched = {.count = 0};
    struct price_filter more = *filter;
    char next[CURSOR_SIZE];

    more.limit++; /* one more than asked, to see whether there is a next page */
    jsonw_open(page->out, NULL, '{');
    jsonw_time(page->out, "at", filter->at_us);
    jsonw_open(page->out, "prices", '[');
    if (!(history ? price_history : price_list)(db, &more, tell, page, err))
        return false;
    jsonw_close(page->out, ']');
    if (page->count > page->limit && !history)
        cursor_write(page->last, next);
    jsonw_text(page->out, "next_cursor", page->count > page->limit && !history ? next : NULL);
    if (page->count == 0 && !filter->after && !unmatched_prices(db, filter, &unmatched, err))
        return false;
    present_unmatched(page->out, unmatched.list, unmatched.count);
    jsonw_open(page->out, "absent", '[');
    if (!page->said && !explain_absence(exchange, db, page->out, filter->provider, err))
        return false;
    jsonw_close(page->out, ']');
    jsonw_close(page->out, '}');
    return true;
}

void prices_list_handler(struct exchange *exchange)
{
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(freep) struct discount_list *discounts = xcalloc(1, sizeof *discounts);
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct prices_question *asked = exchange->request.parameters;
    struct price_filter *filter = &asked->filter;
    struct page page = {.out = &out, .discounts = discounts, .limit = filter->limit};
    struct error err = {0};

    if (!filter->at_us)
        filter->at_us = clock_calendar_us();
    page.at_us = filter->at_us;
    loan = db_borrow(exchange->server->pool);
    if (!discounts_each(loan.db, filter->at_us, discount_list_add, discounts, &err) ||
        !write_page(exchange, loan.db, &page, filter, asked->history, &err))
        reply_error(exchange, &err);
    else
        reply_json(exchange, 200, &out);
}

/* The body: one price, or {"prices": [...]}. */
static bool read_prices(const json_t *json, struct price prices[PRICE_STORE_MAX],
                        size_t *ret_count, struct error *err)
{
    const json_t *list = json_object_get(json, "prices"), *one;
    long long now_us = clock_calendar_us();
    size_t index;

    *ret_count = 1;
    if (!list)
        return manual_from_json(json, now_us, &prices[0], err);
    if (!json_is_array(list) || json_object_size(json) != 1)
        return error_set(err, ERROR_INVALID, "prices", "must be an array, and alone");
    *ret_count = json_array_size(list);
    if (*ret_count == 0 || *ret_count > PRICE_STORE_MAX)
        return error_set(err, ERROR_INVALID, "prices", "must have 1 to %d prices",
                         PRICE_STORE_MAX);
    json_array_foreach(list, index, one)
    {
        struct error why = {0};

        if (!manual_from_json(one, now_us, &prices[index], &why)) {
            char field[sizeof why.field + 32];

            snprintf(field, sizeof field, "prices[%zu]%s%s", index, why.field[0] ? "." : "",
                     why.field);
            error_set(err, why.kind, field, "%s", why.message);
            err->allowed = why.allowed;
            return false;
        }
    }
    return true;
}

static bool write_stored(struct db *db, const struct price prices[], size_t count,
                         struct json_writer *out, struct error *err)
{
    jsonw_open(out, "prices", '[');
    for (size_t i = 0; i < count; i++) {
        struct price_view view = {.price = prices[i], .since_us = prices[i].source_us};

        if (!prices_series(db, &prices[i], &view.series, err))
            return false;
        present_price(out, NULL, &view, NULL, clock_calendar_us());
    }
    jsonw_close(out, ']');
    return true;
}

static bool create_prices(struct exchange *exchange, const json_t *json, struct json_writer *out,
                          struct error *err)
{
    AUTO(freep) struct price *prices = xcalloc(PRICE_STORE_MAX, sizeof *prices);
    AUTO(db_loan_end) struct db_loan loan = {0};
    size_t count;

    if (!read_prices(json, prices, &count, err))
        return false;
    loan = db_borrow(exchange->server->pool);
    if (!prices_put(loan.db, prices, count, err) ||
        !write_stored(loan.db, prices, count, out, err))
        return false;
    jsonw_null(out, "machine");
    return true;
}

/* {"machine": "this"} and what a person pays for this machine. */
static bool read_price_of_this(const struct exchange *exchange, const json_t *json,
                               struct price *ret_price, struct error *err)
{
    static const char *const fields[] = {"machine", "price_per_hour", "per_month", "own", NULL};
    const char *machine = json_string_value(json_object_get(json, "machine"));
    struct machine_bill bill;
    struct price price;
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)json, key, value)
    {
        if (!known_names_check(fields, key, err))
            return false;
    }
    if (!machine || strcmp(machine, "this") != 0)
        return error_set(err, ERROR_INVALID, "machine",
                         "must be \"this\": a price of another machine names its instance_type");
    if (!machine_bill_read(json, &bill, err) || !machine_bill_price(&bill, &price, err))
        return false;
    this_machine_name_price(exchange->server->this_machine, &price);
    price.source_us = price.fetched_us = clock_calendar_us();
    snprintf(price.feed, sizeof price.feed, "typed");
    *ret_price = price;
    return true;
}

static bool create_price_of_this(struct exchange *exchange, const json_t *json,
                                 struct json_writer *out, struct error *err)
{
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct price price;
    long long runs;

    if (!read_price_of_this(exchange, json, &price, err))
        return false;
    loan = db_borrow(exchange->server->pool);
    if (!typed_later_put(exchange->server->this_machine, loan.db, &price, &runs, err) ||
        !write_stored(loan.db, &price, 1, out, err))
        return false;
    jsonw_open(out, "machine", '{');
    jsonw_number(out, "price_per_hour", (double)price.nanos / 1e9);
    jsonw_text(out, "formula", price.reference);
    jsonw_integer(out, "runs", runs);
    jsonw_close(out, '}');
    return true;
}

void prices_create_handler(struct exchange *exchange)
{
    AUTO(json_decrefp) json_t *json = NULL;
    struct json_writer out = {.bytes = &exchange->reply.body};
    struct error err = {0};

    json = request_json(exchange, &err);
    jsonw_open(&out, NULL, '{');
    if (!json || !(json_object_get(json, "machine") ? create_price_of_this : create_prices)(
                     exchange, json, &out, &err)) {
        reply_error(exchange, &err);
        return;
    }
    jsonw_close(&out, '}');
    reply_json(exchange, 201, &out);
}

void prices_withdraw_handler(struct exchange *exchange)
{
    const struct router_match *match = &exchange->request.match;
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct taken_back taken;
    struct price_view view;
    struct price_key key;
    struct error err = {0};
    char id[PRICE_ID_SIZE];

    if (!taking_back_read_body(exchange, &taken))
        return;
    if (!price_id_read(match->id, match->id_length, &key)) {
        reply_problem(exchange, 404, NULL, "there is no such price");
        return;
    }
    loan = db_borrow(exchange->server->pool);
    if (!prices_withdraw(loan.db, &key, &taken, &view, &err) ||
        !typed_later_withdraw(exchange->server->this_machine, loan.db, &view.price,
                              clock_calendar_us(), &err)) {
        reply_error(exchange, &err);
        return;
    }
    price_id_write(&key, id);
    if (view.withdrawn.at_us == taken.at_us)
        taking_back_note(exchange, "price withdrawn", id, taken.reason);
    present_price(&out, NULL, &view, NULL, clock_calendar_us());
    reply_json(exchange, 200, &out);
}

void prices_refresh_handler(struct exchange *exchange)
{
    const struct refresh_question *asked = exchange->request.parameters;
    struct json_writer out = {.bytes = &exchange->reply.body};
    struct refresh_progress progress;
    struct error err = {0};

    if (asked->feed && !feeds_find(exchange->server->feeds, asked->feed))
        error_set(&err, ERROR_INVALID, "feed",
                  "there is no feed '%.40s'; GET /v1/feeds lists them", asked->feed);
    if (err.kind != ERROR_NONE ||
        !refresher_ask(exchange->server->refresher, asked->feed, asked->accept, &err)) {
        reply_error(exchange, &err);
        return;
    }
    /* Who accepted a feed against its guards stays on record. */
    if (asked->accept)
        taking_back_note(exchange, "feed accepted", asked->feed, asked->reason);
    refresher_progress(exchange->server->refresher, &progress);
    present_refresh(&out, NULL, &progress);
    reply_field(exchange, "Location", "/v1/feeds");
    reply_json(exchange, 202, &out);
}
