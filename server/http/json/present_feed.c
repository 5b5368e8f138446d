#include "server/http/json/present_feed.h"

#include "common/cleanup.h"
#include "pricing/freshness.h"

#include <math.h>

static const char *text_or_null(const char *text)
{
    return *text ? text : NULL;
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
