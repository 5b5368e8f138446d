#include "server/prices/price_json.h"

#include "common/cleanup.h"
#include "pricing/feeds/source.h"
#include "pricing/freshness.h"

#include <math.h>

static const char *text_or_null(const char *text)
{
    return *text ? text : NULL;
}

static const struct discount *find_discount(const struct discount_list *discounts,
                                            const struct price *price)
{
    for (size_t i = 0; discounts && i < discounts->count; i++)
        if (discount_applies(&discounts->list[i], price))
            return &discounts->list[i];
    return NULL;
}

static void present_discount(struct out *out, const struct price *price, double factor,
                             const char *note)
{
    out_open(out, "discount", '{');
    out_number(out, "factor", factor);
    out_text(out, "note", text_or_null(note));
    out_number(out, "price_per_hour", (double)price->nanos / 1e9 * factor);
    out_close(out, '}');
}

/* Where a price comes from, and how old that is. */
static void present_origin(struct out *out, const struct price_view *view, long long at_us)
{
    const struct price *price = &view->price;
    const struct source *source = source_find(price->feed);
    bool is_published = strcmp(price->feed, PUBLISHED_FEED) == 0;
    bool given = price->kind == PRICE_TYPED || price->kind == PRICE_OWN;
    long long fetched_us = view->confirmed_us ? view->confirmed_us : price->fetched_us;
    long long source_us =
        view->confirmed_source_us ? view->confirmed_source_us : price->source_us;
    long long said_us = view->confirmed_source_us ? view->confirmed_source_us : fetched_us;

    out_text(out, "feed", price->feed);
    out_text(out, "label",
             is_published ? "published with a figure"
             : source     ? source->title
                          : "given by a person");
    out_bool(out, "third_party", is_published || (source && source->third_party));
    out_text(out, "reference", text_or_null(price->reference));
    out_time(out, "valid_from", view->since_us);
    out_time(out, "source_time", source_us);
    out_time(out, "fetched_at", fetched_us);
    out_number(out, "age_seconds", given ? NAN : (double)(at_us - said_us) / 1e6);
    out_text(out, "freshness", freshness_names[freshness_of(price->kind, at_us - said_us)]);
}

/* What was, or from when on there was nothing. */
static void present_amount(struct out *out, const struct price *price)
{
    out_text(out, "currency", price->currency);
    if (price->nanos > 0) {
        out_number(out, "price_per_hour", (double)price->nanos / 1e9);
        out_integer(out, "nanos_per_hour", price->nanos);
        out_text(out, "text", price->text);
        return;
    }
    out_null(out, "price_per_hour");
    out_null(out, "nanos_per_hour");
    out_null(out, "text");
}

static void present_body(struct out *out, const struct price_view *view, long long at_us)
{
    const struct price *price = &view->price;

    out_text(out, "provider", text_or_null(price->provider));
    out_text(out, "region", text_or_null(price->region));
    out_text(out, "zone", text_or_null(price->zone));
    out_text(out, "instance_type", text_or_null(price->instance_type));
    out_text(out, "operating_system", "linux");
    out_text(out, "kind", price_kind_name(price->kind));
    present_amount(out, price);
    present_origin(out, view, at_us);
}

void present_price(struct out *out, const char *key, const struct price_view *view,
                   const struct discount_list *discounts, long long at_us)
{
    const struct discount *discount = find_discount(discounts, &view->price);

    out_open(out, key, '{');
    present_body(out, view, at_us);
    if (discount && view->price.nanos > 0)
        present_discount(out, &view->price, discount->factor, discount->note);
    else
        out_null(out, "discount");
    out_close(out, '}');
}

void present_machine_price(struct out *out, const struct machine_price *price, long long at_us)
{
    if (!price->known) {
        out_null(out, "price");
        out_text(out, "why_no_price", price->why_not);
        return;
    }
    out_open(out, "price", '{');
    present_body(out, &price->view, at_us);
    if (price->factor < 1)
        present_discount(out, &price->view.price, price->factor, price->discount);
    else
        out_null(out, "discount");
    out_close(out, '}');
    out_null(out, "why_no_price");
}

void present_identity(struct out *out, const char *key, const struct identity *identity)
{
    out_open(out, key, '{');
    out_text(out, "provider", text_or_null(identity->provider));
    out_text(out, "instance_type", text_or_null(identity->instance_type));
    out_text(out, "region", text_or_null(identity->region));
    out_text(out, "zone", text_or_null(identity->zone));
    out_text(out, "zone_id", text_or_null(identity->zone_id));
    out_text(out, "life_cycle", text_or_null(identity->life_cycle));
    out_text(out, "source", identity->source);
    out_text(out, "note", text_or_null(identity->note));
    out_close(out, '}');
}

void present_interval(struct out *out, const char *key, const struct amount *amount)
{
    if (!amount) {
        out_null(out, key);
        return;
    }
    out_open(out, key, '{');
    out_number(out, "value", amount->value);
    out_number(out, "low", amount->has_interval ? amount->low : NAN);
    out_number(out, "high", amount->has_interval ? amount->high : NAN);
    out_close(out, '}');
}

char *run_cost_to_text(const struct run_cost *cost, const struct amount *samples_per_second)
{
    struct bytes text = {.limit = 16384};
    struct out out = {.bytes = &text};
    struct cost each;
    bool known = samples_per_second && cost->price.known &&
                 cost_of(samples_per_second, cost->price.dollars, &each);

    out_open(&out, NULL, '{');
    present_identity(&out, "identity", &cost->identity);
    present_machine_price(&out, &cost->price, cost->at_us);
    present_interval(&out, "samples_per_dollar", known ? &each.samples_per_dollar : NULL);
    present_interval(&out, "dollars_per_million_samples",
                     known ? &each.dollars_per_million : NULL);
    present_interval(&out, "hours_per_million_samples", known ? &each.hours_per_million : NULL);
    out_close(&out, '}');
    if (out.failed)
        bytes_free(&text);
    return text.data;
}
