/* /v1/prices: hourly prices, current and past, from feeds and from users.
 * Tested by tests/api/test_prices.py. */
#include "common/cleanup.h"

#include "answers/compare/unmatched_lists.h"
#include "common/clock.h"
#include "common/limits.h"
#include "common/memory.h"
#include "db/prices/price_list.h"
#include "db/prices/price_put.h"
#include "db/prices/withdrawals.h"
#include "pricing/feeds/manual_price.h"
#include "pricing/machine/bill.h"
#include "pricing/parse_time.h"
#include "server/base/cursor.h"
#include "server/http/api/prices.h"
#include "server/http/handlers/handlers.h"
#include "server/http/handlers/taking_back.h"
#include "server/http/json/page.h"
#include "server/http/json/present_feed.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"
#include "server/prices/price_json.h"
#include "server/prices/typed_later.h"

/* What a list answers with. */
struct price_answer {
    struct page *page; /* first: page_end_members */
    struct exchange *exchange;
    struct db *db;
    const struct price_filter *filter;
    const struct discount_list *discounts;
    bool history;
    bool *said; /* a feed or a user has a price, not only a published figure */
};

struct price_writer {
    struct json_writer *out;
    const struct price_answer *answer;
};

static void prices_announce(void *user, const struct listed_price *listed)
{
    const struct price_writer *writer = user;
    const struct price_answer *answer = writer->answer;
    struct page *page = answer->page;
    const struct price_shown shown = price_show(listed, answer->discounts, answer->filter->at_us);

    if (!page_takes(page))
        return;
    cursor_write(listed->at.series, page->last);
    *answer->said |= strcmp(listed->at.price.feed, PUBLISHED_FEED) != 0;
    members_write(writer->out, NULL, &listed_price_members, &shown);
}

/* The reason why a feed has no price for the filter. */
struct absence {
    const char *feed, *reason;
    bool read;
    char text[300];
};

static const struct member absence_rows[] = {
    {MEMBER(struct absence, feed)},
    {MEMBER(struct absence, reason)},
    {0},
};
static const struct members absence_members = {.rows = absence_rows};

static void look_at_scope(void *user, const struct feed_row *row)
{
    struct absence *absence = user;

    absence->read |= row->confirmed_us > 0;
    if (strcmp(row->state, "failed") == 0 && !absence->text[0])
        snprintf(absence->text, sizeof absence->text, "failed: %s", row->reason);
}

static bool explain_absence(const struct price_answer *answer, const struct source *source,
                            struct absence *ret_absence)
{
    struct absence absence = {.feed = source->name};
    long long due_us;
    char idle[160];
    bool on = refresher_plan(answer->exchange->server->refresher, source->name, &due_us, idle);

    if (!feed_rows_each(answer->db, source->name, look_at_scope, &absence, &answer->page->err))
        return false;
    if (on && !absence.text[0])
        snprintf(absence.text, sizeof absence.text, "%s",
                 absence.read ? "not in the feed"
                 : idle[0]    ? idle
                              : "never read yet");
    *ret_absence = absence;
    ret_absence->reason = on ? ret_absence->text : "switched off";
    return true;
}

static void write_absent(struct json_writer *out, const struct member *row, const void *object)
{
    const struct price_answer *answer = object;
    const struct feeds *feeds = answer->exchange->server->feeds;
    const char *provider = answer->filter->provider;
    struct absence absence;

    jsonw_open(out, row->name, '[');
    for (size_t i = 0; !*answer->said && i < feeds->count; i++) {
        const struct source *source = feeds->list[i].source;

        if (provider && *source->provider && strcmp(provider, source->provider) != 0)
            continue;
        if (!explain_absence(answer, source, &absence))
            break;
        members_write(out, NULL, row->members, &absence);
    }
    jsonw_close(out, ']');
}

static void write_prices(struct json_writer *out, const struct member *row, const void *object)
{
    const struct price_answer *answer = object;
    const struct price_filter *filter = answer->filter;
    struct price_writer writer = {out, answer};
    struct price_filter more = *filter;
    struct page *page = answer->page;

    more.limit++; /* one more than asked, to see whether there is a next page */
    jsonw_open(out, row->name, '[');
    if ((answer->history ? price_history : price_list)(answer->db, &more, prices_announce,
                                                       &writer, &page->err) &&
        page->count == 0 && !filter->after)
        (void)!unmatched_prices(answer->db, filter, &page->unmatched, &page->err);
    if (answer->history && page->count > page->limit) /* whose pages go by time */
        page->count = page->limit;
    jsonw_close(out, ']');
}

MEMBER_WRITES(write_at, time, struct price_answer, answer, answer->filter->at_us)

static const struct member priced_list_rows[] = {
    {MEMBER_WRITTEN("at", MEMBER_TIME, write_at)},
    {MEMBER_LIST_OF("prices", &listed_price_members), .write = write_prices},
    {MEMBER_ROWS(&page_end_members)},
    {MEMBER_LIST_OF("absent", &absence_members), .write = write_absent,
     .meaning = "The reason for each feed, where no prices exist except those published with a "
                "figure."},
    {0},
};
const struct members price_list_members = {
    .name = "PriceList", .meaning = "Prices at one time.", .rows = priced_list_rows};

void prices_list_handler(struct exchange *exchange)
{
    AUTO(freep) struct discount_list *discounts = xcalloc(1, sizeof *discounts);
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct prices_question *asked = exchange->request.parameters;
    struct price_filter *filter = &asked->filter;
    struct page page = {.limit = filter->limit};
    bool said = false;
    struct price_answer answer = {.page = &page,
                                  .exchange = exchange,
                                  .filter = filter,
                                  .discounts = discounts,
                                  .history = asked->history,
                                  .said = &said};

    if (!filter->at_us)
        filter->at_us = clock_calendar_us();
    loan = db_borrow(exchange->server->pool);
    answer.db = loan.db;
    if (discounts_each(loan.db, filter->at_us, discount_list_add, discounts, &page.err))
        reply_list(exchange, &price_list_members, &answer, &page.err);
    else
        reply_error(exchange, &page.err);
}

/* Members of a price of this machine. */
struct bill_said {
    double price_per_hour;
    const char *formula;
    long long runs;
};

/* The stored prices. */
struct stored_prices {
    struct price list[PRICE_STORE_MAX];
    size_t count;
    struct bill_said machine; /* formula NULL: prices of others */
    long long series[PRICE_STORE_MAX];
};

static bool read_list(const struct field *field, const json_t *list, void *object,
                      struct error *err)
{
    struct stored_prices *stored = object;
    long long now_us = clock_calendar_us();
    const json_t *one;
    size_t index;

    stored->count = json_array_size(list);
    if (stored->count == 0 || stored->count > PRICE_STORE_MAX)
        return error_set(err, ERROR_INVALID, field->name, "must be an array of 1 to %d prices",
                         PRICE_STORE_MAX);
    json_array_foreach(list, index, one)
    {
        struct error why = {0};
        char where[32];

        snprintf(where, sizeof where, "prices[%zu]", index);
        if (!manual_from_json(one, now_us, &stored->list[index], &why))
            return error_within(err, &why, where);
    }
    return true;
}

static const struct field price_list_rows[] = {
    {.name = "prices",
     .type = FIELD_OWN,
     .read = read_list,
     .required = true,
     .schema = "{\"type\": \"array\", \"minItems\": 1, \"maxItems\": " LIMIT_TEXT(
         PRICE_STORE_MAX) ", \"items\": {\"$ref\": \"#/components/schemas/TypedPrice\"}}"},
};
static const struct body price_list_body = {BODY_ROWS(price_list_rows)};

static const struct body *const ways[] = {&typed_price_body, &price_list_body,
                                          &machine_price_body, NULL};
const struct body prices_body = {.name = "TypedPrices",
                                 .meaning =
                                     "One price, or several, or the price of this machine.",
                                 .any = ways};

static const struct member price_machine_rows[] = {
    {MEMBER(struct bill_said, price_per_hour), .meaning = "Dollars."},
    {MEMBER(struct bill_said, formula), .filled = true,
     .meaning = "The formula of the price; the price has it as `reference`."},
    {MEMBER(struct bill_said, runs), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "How many stored runs have it, because they began without a price."},
    {0},
};
static const struct members price_machine_members = {
    .name = "PricedMachine",
    .meaning = "Details of a price of this machine; null for other prices.",
    .rows = price_machine_rows};

static void write_stored(struct json_writer *out, const struct member *row, const void *object)
{
    const struct stored_prices *stored = object;

    jsonw_open(out, row->name, '[');
    for (size_t i = 0; i < stored->count; i++) {
        const struct listed_price listed = {.at = {.price = stored->list[i],
                                                   .since_us = stored->list[i].source_us,
                                                   .series = stored->series[i]}};
        const struct price_shown shown = price_show(&listed, NULL, clock_calendar_us());

        members_write(out, NULL, row->members, &shown);
    }
    jsonw_close(out, ']');
}

MEMBER_FINDS(find_machine, struct stored_prices, stored,
             stored->machine.formula ? &stored->machine : NULL)

static const struct member stored_price_rows[] = {
    {MEMBER_LIST_OF("prices", &listed_price_members), .write = write_stored},
    {MEMBER_FOUND("machine", &price_machine_members, find_machine), .nullable = true},
    {0},
};
const struct members stored_prices_members = {
    .name = "StoredPrices", .meaning = "The stored prices.", .rows = stored_price_rows};

static bool find_series(struct db *db, struct stored_prices *stored, struct error *err)
{
    for (size_t i = 0; i < stored->count; i++)
        if (!prices_series(db, &stored->list[i], &stored->series[i], err))
            return false;
    return true;
}

static bool create_prices(struct exchange *exchange, const json_t *json,
                          struct stored_prices *stored, struct error *err)
{
    AUTO(db_loan_end) struct db_loan loan = {0};

    stored->count = 1;
    if (json_object_get(json, "prices")
            ? !body_read(&price_list_body, json, stored, err)
            : !manual_from_json(json, clock_calendar_us(), &stored->list[0], err))
        return false;
    loan = db_borrow(exchange->server->pool);
    return prices_put(loan.db, stored->list, stored->count, err) &&
           find_series(loan.db, stored, err);
}

/* {"machine": "this"} and the price paid for this machine. */
static bool read_price_of_this(const struct exchange *exchange, const json_t *json,
                               struct price *ret_price, struct error *err)
{
    struct machine_bill bill;
    struct price price;

    if (!machine_bill_read(json, &bill, err) || !machine_bill_price(&bill, &price, err))
        return false;
    this_machine_name_price(exchange->server->this_machine, &price);
    price.source_us = price.fetched_us = clock_calendar_us();
    snprintf(price.feed, sizeof price.feed, "typed");
    *ret_price = price;
    return true;
}

static bool create_price_of_this(struct exchange *exchange, const json_t *json,
                                 struct stored_prices *stored, struct error *err)
{
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct price *price = &stored->list[0];
    long long runs;

    if (!read_price_of_this(exchange, json, price, err))
        return false;
    stored->count = 1;
    loan = db_borrow(exchange->server->pool);
    if (!typed_later_put(exchange->server->this_machine, loan.db, price, &runs, err) ||
        !find_series(loan.db, stored, err))
        return false;
    stored->machine = (struct bill_said){(double)price->nanos / 1e9, price->reference, runs};
    return true;
}

void prices_create_handler(struct exchange *exchange)
{
    AUTO(json_decrefp) json_t *json = NULL;
    AUTO(freep) struct stored_prices *stored = xcalloc(1, sizeof *stored);
    struct error err = {0};

    json = request_json(exchange, &err);
    if (!json || !(json_object_get(json, "machine") ? create_price_of_this : create_prices)(
                     exchange, json, stored, &err))
        reply_error(exchange, &err);
    else
        reply_object(exchange, 201, &stored_prices_members, stored);
}

void prices_withdraw_handler(struct exchange *exchange)
{
    const struct router_match *match = &exchange->request.match;
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct taken_back taken;
    struct price_shown shown;
    struct listed_price listed;
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
    if (!prices_withdraw(loan.db, &key, &taken, &listed, &err) ||
        !typed_later_withdraw(exchange->server->this_machine, loan.db, &listed.at.price,
                              clock_calendar_us(), &err)) {
        reply_error(exchange, &err);
        return;
    }
    price_id_write(&key, id);
    if (listed.withdrawn.at_us == taken.at_us)
        taking_back_note(exchange, "price withdrawn", id, taken.reason);
    shown = price_show(&listed, NULL, clock_calendar_us());
    reply_object(exchange, 200, &listed_price_members, &shown);
}

void prices_refresh_handler(struct exchange *exchange)
{
    const struct refresh_question *asked = exchange->request.parameters;
    struct refresh_progress progress;
    struct error err = {0};

    if (!refresher_ask(exchange->server->refresher, asked->feed, asked->accept, &err)) {
        reply_error(exchange, &err);
        return;
    }
    /* Record who accepted a feed without confirmation. */
    if (asked->accept)
        taking_back_note(exchange, "feed accepted", asked->feed, asked->reason);
    refresher_progress(exchange->server->refresher, &progress);
    reply_field(exchange, "Location", "/v1/feeds");
    reply_object(exchange, 202, &refresh_members, &progress);
}
