#include "server/present_price.h"

#include "common/cleanup.h"
#include "pricing/freshness.h"

#include <math.h>

static const char *text_or_null(const char *text)
{
    return *text ? text : NULL;
}

void discount_list_add(void *list, const struct discount *discount)
{
    struct discount_list *discounts = list;

    if (discounts->count < DISCOUNTS_MAX)
        discounts->list[discounts->count++] = *discount;
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

void present_refresh(struct out *out, const char *key, const struct refresh_progress *progress)
{
    out_open(out, key, '{');
    out_bool(out, "running", progress->running);
    out_text(out, "feed", text_or_null(progress->feed));
    out_text(out, "scope", text_or_null(progress->scope));
    out_integer(out, "scopes_done", (long long)progress->scopes_done);
    out_integer(out, "scopes", (long long)progress->scopes);
    out_integer(out, "feeds_done", (long long)progress->feeds_done);
    out_integer(out, "feeds", (long long)progress->feeds);
    out_time(out, "started_at", progress->started_us);
    out_time(out, "ended_at", progress->running ? 0 : progress->ended_us);
    out_close(out, '}');
}

static enum freshness row_freshness(const struct feed_row *row, bool has_spot, long long now_us)
{
    long long said_us = row->source_us > 0 ? row->source_us : row->confirmed_us;

    return freshness_of(has_spot ? PRICE_SPOT : PRICE_ON_DEMAND, now_us - said_us);
}

/* The worst of the labels of a feed's scopes; NULL where nothing was ever believed. */
static const char *feed_label(const struct feed_view *view)
{
    bool spot = view->feed->source->is_spot, believed = false;
    enum freshness worst = PRICE_FRESH;

    for (size_t i = 0; i < view->count; i++) {
        const struct feed_row *row = &view->rows[i];
        enum freshness freshness = row_freshness(row, spot, view->now_us);

        if (row->confirmed_us == 0)
            continue;
        believed = true;
        if (feed_is_frozen(spot, row->source_us, view->now_us) &&
            strcmp(row->state, "failed") != 0)
            return "frozen";
        if (freshness > worst)
            worst = freshness;
    }
    return believed ? freshness_names[worst] : NULL;
}

/* One word for all scopes, and the first reason of a failure. Where the feed could not say what
 * it has ("*"), no scope of it was read at all. */
static const char *sum_up(const struct feed_view *view, const char **ret_reason)
{
    size_t failed = 0;
    bool whole = false;

    *ret_reason = NULL;
    if (!view->feed->on)
        return "off";
    for (size_t i = 0; i < view->count; i++) {
        if (strcmp(view->rows[i].state, "failed") != 0)
            continue;
        failed++;
        whole |= strcmp(view->rows[i].scope, "*") == 0;
        if (failed == 1 || strcmp(view->rows[i].scope, "*") == 0)
            *ret_reason = view->rows[i].reason;
    }
    if (failed > 0)
        return whole || failed == view->count ? "failed" : "partly_failed";
    if (*view->idle) {
        *ret_reason = view->idle;
        return "idle";
    }
    return view->count > 0 ? "ok" : "never_asked";
}

static void present_tally(struct out *out, const struct basket_tally *tally)
{
    out_open(out, "left_out", '{');
    out_integer(out, "seen", tally->seen);
    out_integer(out, "unpriced", tally->unpriced);
    out_integer(out, "malformed", tally->malformed);
    out_integer(out, "ambiguous", tally->ambiguous);
    out_close(out, '}');
}

static void present_scope(struct out *out, const struct feed_row *row, long long now_us)
{
    long long said_us = row->source_us > 0 ? row->source_us : row->confirmed_us;

    out_open(out, NULL, '{');
    out_text(out, "scope", row->scope);
    out_text(out, "state", row->state);
    out_text(out, "reason", text_or_null(row->reason));
    out_integer(out, "prices", row->prices);
    out_time(out, "checked_at", row->checked_us);
    out_time(out, "fetched_at", row->confirmed_us);
    out_time(out, "changed_at", row->changed_us);
    out_time(out, "source_time", row->source_us);
    out_number(out, "age_seconds", said_us > 0 ? (double)(now_us - said_us) / 1e6 : NAN);
    out_integer(out, "http_status", row->status);
    out_integer(out, "bytes", row->bytes);
    out_integer(out, "failures", row->failures);
    present_tally(out, &row->tally);
    out_close(out, '}');
}

void present_feed(struct out *out, const struct feed_view *view)
{
    const struct feed *feed = view->feed;
    const char *reason, *state = sum_up(view, &reason);
    long long prices = 0;

    for (size_t i = 0; i < view->count; i++)
        prices += view->rows[i].prices;
    out_open(out, NULL, '{');
    out_text(out, "feed", feed->source->name);
    out_text(out, "label", feed->source->title);
    out_text(out, "provider", text_or_null(feed->source->provider));
    out_bool(out, "third_party", feed->source->third_party);
    out_text(out, "state", state);
    out_text(out, "reason", reason);
    out_text(out, "freshness", feed_label(view));
    out_integer(out, "prices", prices);
    out_integer(out, "every_seconds", feed->every_seconds);
    out_time(out, "next_at", view->due_us);
    out_open(out, "scopes", '[');
    for (size_t i = 0; i < view->count; i++)
        present_scope(out, &view->rows[i], view->now_us);
    out_close(out, ']');
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
