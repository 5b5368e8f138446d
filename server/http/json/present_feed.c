#include "server/http/json/present_feed.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "pricing/freshness.h"

#include <math.h>

void present_refresh(struct json_writer *out, const char *key,
                     const struct refresh_progress *progress)
{
    jsonw_open(out, key, '{');
    jsonw_bool(out, "running", progress->running);
    jsonw_text(out, "feed", text_or_null(progress->feed));
    jsonw_text(out, "scope", text_or_null(progress->scope));
    jsonw_integer(out, "scopes_done", (long long)progress->scopes_done);
    jsonw_integer(out, "scopes", (long long)progress->scopes);
    jsonw_integer(out, "feeds_done", (long long)progress->feeds_done);
    jsonw_integer(out, "feeds", (long long)progress->feeds);
    jsonw_time(out, "started_at", progress->started_us);
    jsonw_time(out, "ended_at", progress->running ? 0 : progress->ended_us);
    jsonw_close(out, '}');
}

/* Of the kind of price that ages first. */
static enum freshness row_freshness(const struct feed_row *row, const struct source *source,
                                    long long now_us)
{
    enum price_kind kind = source->has_spot ? PRICE_SPOT : PRICE_ON_DEMAND;
    long long said_us = row->source_us > 0 ? row->source_us : row->confirmed_us;
    bool doubted = row->doubt.since_us > 0;

    return (doubted ? freshness_of_doubted : freshness_of)(kind, now_us - said_us,
                                                           source->pace_seconds * 1000000);
}

/* The worst freshness among a feed's scopes; NULL where no reading ever succeeded. */
static const char *feed_label(const struct feed_view *view)
{
    const struct source *source = view->feed->source;
    bool accepted = false;
    enum freshness worst = PRICE_FRESH;

    for (size_t i = 0; i < view->count; i++) {
        const struct feed_row *row = &view->rows[i];
        enum freshness freshness = row_freshness(row, source, view->now_us);

        if (row->confirmed_us == 0)
            continue;
        accepted = true;
        if (feed_is_frozen(source->has_spot, row->source_us, view->now_us,
                           source->pace_seconds * 1000000) &&
            strcmp(row->state, "failed") != 0)
            return "frozen";
        if (freshness > worst)
            worst = freshness;
    }
    return accepted ? freshness_names[worst] : NULL;
}

/* Whether another scope was read after that one failed: then only some of its regions are
 * unknown. */
static bool was_read_since(const struct feed_view *view, const struct feed_row *row)
{
    for (size_t i = 0; i < view->count; i++)
        if (&view->rows[i] != row && view->rows[i].checked_us > row->checked_us)
            return true;
    return false;
}

/* One word for all scopes, and the first reason of a failure. Where the feed could not say what
 * it has ("*"), no scope of it was read at all. */
static const char *sum_up(const struct feed_view *view, const char **ret_reason)
{
    size_t failed = 0;
    bool whole = false;

    *ret_reason = NULL;
    if (!view->on)
        return "off";
    for (size_t i = 0; i < view->count; i++) {
        if (strcmp(view->rows[i].state, "failed") != 0)
            continue;
        failed++;
        whole |= strcmp(view->rows[i].scope, "*") == 0 && !was_read_since(view, &view->rows[i]);
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

static void present_tally(struct json_writer *out, const struct price_batch_tally *tally)
{
    jsonw_open(out, "left_out", '{');
    jsonw_integer(out, "seen", tally->seen);
    jsonw_integer(out, "unpriced", tally->unpriced);
    jsonw_integer(out, "malformed", tally->malformed);
    jsonw_integer(out, "ambiguous", tally->ambiguous);
    jsonw_integer(out, "above_on_demand", tally->expensive);
    jsonw_close(out, '}');
}

/* What the last reading said and is not accepted yet; null where that is nothing. */
static void present_held(struct json_writer *out, const struct feed_row *row)
{
    const struct doubt *doubt = &row->doubt;

    if (row->held == 0 && doubt->since_us == 0) {
        jsonw_null(out, "held");
        return;
    }
    jsonw_open(out, "held", '{');
    jsonw_integer(out, "count", row->held);
    jsonw_time(out, "accepted_after",
               doubt->since_us > 0 ? doubt->since_us + DOUBT_SECONDS * 1000000LL : 0);
    jsonw_open(out, "examples", '[');
    for (size_t i = 0; i < row->example_count; i++) {
        const struct held_price *held = &row->examples[i];

        jsonw_open(out, NULL, '{');
        jsonw_text(out, "instance_type", held->instance_type);
        jsonw_text(out, "region", text_or_null(held->region));
        jsonw_text(out, "zone", text_or_null(held->zone));
        jsonw_text(out, "kind", price_kind_name(held->kind));
        jsonw_number(out, "price_per_hour", (double)held->nanos / 1e9);
        jsonw_number(out, "held_price_per_hour",
                     held->held_nanos > 0 ? (double)held->held_nanos / 1e9 : NAN);
        jsonw_time(out, "since", held->since_us);
        jsonw_close(out, '}');
    }
    jsonw_close(out, ']');
    jsonw_close(out, '}');
}

static void present_scope(struct json_writer *out, const struct feed_row *row, long long now_us)
{
    long long said_us = row->source_us > 0 ? row->source_us : row->confirmed_us;

    jsonw_open(out, NULL, '{');
    jsonw_text(out, "scope", row->scope);
    jsonw_text(out, "state", row->state);
    jsonw_text(out, "reason", text_or_null(row->reason));
    jsonw_integer(out, "prices", row->prices);
    jsonw_time(out, "checked_at", row->checked_us);
    jsonw_time(out, "fetched_at", row->confirmed_us);
    jsonw_time(out, "changed_at", row->changed_us);
    jsonw_time(out, "source_time", row->source_us);
    jsonw_number(out, "age_seconds", said_us > 0 ? (double)(now_us - said_us) / 1e6 : NAN);
    jsonw_integer(out, "http_status", row->status);
    jsonw_integer(out, "bytes", row->bytes);
    jsonw_integer(out, "failures", row->failures);
    present_tally(out, &row->tally);
    present_held(out, row);
    jsonw_close(out, '}');
}

void present_feed(struct json_writer *out, const struct feed_view *view)
{
    const struct feed *feed = view->feed;
    const char *reason, *state = sum_up(view, &reason);
    long long prices = 0;

    for (size_t i = 0; i < view->count; i++)
        prices += view->rows[i].prices;
    jsonw_open(out, NULL, '{');
    jsonw_text(out, "feed", feed->source->name);
    jsonw_text(out, "label", feed->source->title);
    jsonw_text(out, "provider", text_or_null(feed->source->provider));
    jsonw_bool(out, "third_party", feed->source->third_party);
    jsonw_text(out, "state", state);
    jsonw_text(out, "reason", reason);
    jsonw_text(out, "freshness", feed_label(view));
    jsonw_integer(out, "prices", prices);
    jsonw_integer(out, "every_seconds", feed->every_seconds);
    jsonw_time(out, "next_at", view->due_us);
    jsonw_open(out, "scopes", '[');
    for (size_t i = 0; i < view->count; i++)
        present_scope(out, &view->rows[i], view->now_us);
    jsonw_close(out, ']');
    jsonw_close(out, '}');
}
