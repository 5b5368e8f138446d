#include "server/prices/price_json.h"

#include "common/rfc3339.h"
#include "common/text.h"
#include "db/runs/run_prices.h"
#include "pricing/commitment.h"
#include "pricing/feeds/source.h"
#include "pricing/freshness.h"
#include "server/base/taken_back_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct discount *find_discount(const struct discount_list *discounts,
                                            const struct price *price)
{
    for (size_t i = 0; discounts && i < discounts->count; i++)
        if (discount_applies(&discounts->list[i], price))
            return &discounts->list[i];
    return NULL;
}

/* When its source last said this price. */
static long long fetched_us_of(const struct price_view *view)
{
    return view->confirmed_us ? view->confirmed_us : view->price.fetched_us;
}

static void present_discount(struct json_writer *out, const struct price *price, double factor,
                             const char *note)
{
    jsonw_open(out, "discount", '{');
    jsonw_number(out, "factor", factor);
    jsonw_text(out, "note", text_or_null(note));
    jsonw_number(out, "price_per_hour", price_exact((double)price->nanos / 1e9 * factor));
    jsonw_close(out, '}');
}

/* Where a price comes from, and how old that is. */
static void present_origin(struct json_writer *out, const struct price_view *view,
                           long long at_us)
{
    const struct price *price = &view->price;
    const struct source *source = source_find(price->feed);
    bool is_published = strcmp(price->feed, PUBLISHED_FEED) == 0;
    bool later = strcmp(price->feed, TYPED_LATER_FEED) == 0;
    bool given = price->kind == PRICE_TYPED || price->kind == PRICE_OWN;
    long long fetched_us = fetched_us_of(view);
    long long source_us =
        view->confirmed_source_us ? view->confirmed_source_us : price->source_us;
    long long said_us = view->confirmed_source_us ? view->confirmed_source_us : fetched_us;

    jsonw_text(out, "feed", price->feed);
    jsonw_text(out, "label",
               is_published ? "published with a figure"
               : source     ? source->title
               : later      ? "given by a person after the run"
                            : "given by a person");
    jsonw_bool(out, "third_party", is_published || (source && source->third_party));
    jsonw_text(out, "reference", text_or_null(price->reference));
    jsonw_time(out, "valid_from", view->since_us);
    jsonw_time(out, "source_time", source_us);
    jsonw_time(out, "fetched_at", fetched_us);
    jsonw_number(out, "age_seconds", given ? NAN : (double)(at_us - said_us) / 1e6);
    jsonw_text(out, "freshness",
               freshness_names[(view->doubted ? freshness_of_doubted : freshness_of)(
                   price->kind, at_us - said_us, source ? source->pace_seconds * 1000000 : 0)]);
}

/* What was, or from when on there was nothing. */
static void present_amount(struct json_writer *out, const struct price *price)
{
    jsonw_text(out, "currency", price->currency);
    if (price->nanos > 0) {
        jsonw_number(out, "price_per_hour", (double)price->nanos / 1e9);
        jsonw_integer(out, "nanos_per_hour", price->nanos);
        jsonw_text(out, "text", price->text);
        return;
    }
    jsonw_null(out, "price_per_hour");
    jsonw_null(out, "nanos_per_hour");
    jsonw_null(out, "text");
}

static void present_body(struct json_writer *out, const struct price_view *view, long long at_us)
{
    const struct price *price = &view->price;

    jsonw_text(out, "provider", text_or_null(price->provider));
    jsonw_text(out, "region", text_or_null(price->region));
    jsonw_text(out, "zone", text_or_null(price->zone));
    jsonw_text(out, "instance_type", text_or_null(price->instance_type));
    jsonw_text(out, "operating_system", "linux");
    jsonw_text(out, "kind", price_kind_name(price->kind));
    present_amount(out, price);
    present_origin(out, view, at_us);
}

static void present_per_hour(struct json_writer *out, const char *key, long long nanos)
{
    jsonw_number(out, key, nanos > 0 ? (double)nanos / 1e9 : NAN);
}

void present_commitment(struct json_writer *out, enum price_kind kind, long long upfront_nanos)
{
    const struct price_terms *terms = price_terms_of(kind);

    if (!terms) {
        jsonw_null(out, "commitment");
        return;
    }
    jsonw_open(out, "commitment", '{');
    jsonw_integer(out, "years", terms->years);
    jsonw_text(out, "payment", payment_names[terms->payment]);
    jsonw_number(out, "upfront", (double)upfront_nanos / 1e9);
    jsonw_close(out, '}');
}

/* What the last reading says instead and the server does not accept yet; null for nothing. */
static void present_waiting(struct json_writer *out, const struct price_view *view)
{
    const struct waiting_price *waiting = &view->waiting;

    if (waiting->since_us == 0) {
        jsonw_null(out, "held");
        return;
    }
    jsonw_open(out, "held", '{');
    jsonw_integer(out, "count", waiting->count);
    present_per_hour(out, "price_per_hour", view->price.nanos);
    present_per_hour(out, "held_price_per_hour", waiting->nanos);
    jsonw_time(out, "since", waiting->since_us);
    jsonw_close(out, '}');
}

void present_price(struct json_writer *out, const char *key, const struct price_view *view,
                   const struct discount_list *discounts, long long at_us)
{
    const struct discount *discount = find_discount(discounts, &view->price);
    char id[PRICE_ID_SIZE];

    price_id_write(&(struct price_key){view->series, view->since_us}, id);
    jsonw_open(out, key, '{');
    jsonw_text(out, "id", id);
    present_body(out, view, at_us);
    present_commitment(out, view->price.kind, view->price.upfront_nanos);
    if (discount && view->price.nanos > 0)
        present_discount(out, &view->price, discount->factor, discount->note);
    else
        jsonw_null(out, "discount");
    present_waiting(out, view);
    present_taken_back(out, "withdrawn", &view->withdrawn);
    jsonw_close(out, '}');
}

void price_id_write(const struct price_key *key, char ret_id[PRICE_ID_SIZE])
{
    snprintf(ret_id, PRICE_ID_SIZE, "%lld-%lld", key->series, key->since_us);
}

bool price_id_read(const char *text, size_t length, struct price_key *ret_key)
{
    char id[PRICE_ID_SIZE], again[PRICE_ID_SIZE];
    struct price_key key;
    char *end;

    if (length >= sizeof id)
        return false;
    memcpy(id, text, length);
    id[length] = '\0';
    key.series = strtoll(id, &end, 10);
    if (*end != '-')
        return false;
    key.since_us = strtoll(end + 1, &end, 10);
    price_id_write(&key, again);
    if (strcmp(id, again) != 0) /* only as it is written */
        return false;
    *ret_key = key;
    return true;
}

void present_machine_price(struct json_writer *out, const struct machine_price *price,
                           long long at_us)
{
    if (!price->known) {
        jsonw_null(out, "price");
        jsonw_text(out, "why_no_price", price->why_not);
        return;
    }
    jsonw_open(out, "price", '{');
    present_body(out, &price->view, at_us);
    if (price->factor < 1)
        present_discount(out, &price->view.price, price->factor, price->discount);
    else
        jsonw_null(out, "discount");
    jsonw_close(out, '}');
    jsonw_null(out, "why_no_price");
}

struct paid_price paid_price_of(const struct machine_price *price)
{
    const struct price *list = &price->view.price;
    struct paid_price paid = {0};

    if (!price->known)
        return paid;
    if (list->nanos > 0) {
        paid.nanos = list->nanos;
        paid.per_hour = (double)list->nanos / 1e9;
        if (price->factor < 1)
            paid.per_hour = price_exact(paid.per_hour * price->factor);
    }
    snprintf(paid.currency, sizeof paid.currency, "%s", list->currency);
    snprintf(paid.kind, sizeof paid.kind, "%s", price_kind_name(list->kind));
    snprintf(paid.feed, sizeof paid.feed, "%s", list->feed);
    paid.fetched_us = fetched_us_of(&price->view);
    return paid;
}

static void read_text(const json_t *object, const char *name, size_t size, char ret_text[])
{
    const char *text = json_string_value(json_object_get(object, name));

    snprintf(ret_text, size, "%s", text ? text : "");
}

struct paid_price paid_price_read(const json_t *price)
{
    const json_t *discount = json_object_get(price, "discount");
    const json_t *nanos = json_object_get(price, "nanos_per_hour");
    const json_t *fetched = json_object_get(price, "fetched_at");
    double list = json_number_value(json_object_get(price, "price_per_hour"));
    struct paid_price paid = {.per_hour = list, .nanos = json_integer_value(nanos)};

    if (json_is_object(discount))
        paid.per_hour = json_number_value(json_object_get(discount, "price_per_hour"));
    if (paid.nanos <= 0)
        paid.nanos = list > 0 && list < 9e9 ? llround(list * 1e9) : 0;
    read_text(price, "currency", sizeof paid.currency, paid.currency);
    read_text(price, "kind", sizeof paid.kind, paid.kind);
    read_text(price, "feed", sizeof paid.feed, paid.feed);
    if (!json_is_string(fetched) ||
        !rfc3339_read((struct span){json_string_value(fetched), json_string_length(fetched)},
                      &paid.fetched_us))
        paid.fetched_us = 0;
    return paid;
}

void present_identity(struct json_writer *out, const char *key, const struct identity *identity)
{
    jsonw_open(out, key, '{');
    jsonw_text(out, "provider", text_or_null(identity->provider));
    jsonw_text(out, "instance_type", text_or_null(identity->instance_type));
    jsonw_text(out, "region", text_or_null(identity->region));
    jsonw_text(out, "zone", text_or_null(identity->zone));
    jsonw_text(out, "zone_id", text_or_null(identity->zone_id));
    jsonw_text(out, "life_cycle", text_or_null(identity->life_cycle));
    jsonw_text(out, "source", identity->source);
    jsonw_text(out, "note", text_or_null(identity->note));
    jsonw_close(out, '}');
}

void present_interval(struct json_writer *out, const char *key, const struct amount *amount)
{
    if (!amount) {
        jsonw_null(out, key);
        return;
    }
    jsonw_open(out, key, '{');
    jsonw_number(out, "value", amount->value);
    jsonw_number(out, "low", amount->has_interval ? amount->low : NAN);
    jsonw_number(out, "high", amount->has_interval ? amount->high : NAN);
    jsonw_close(out, '}');
}
