#include "server/http/json/present_feed.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "pricing/freshness.h"
#include "server/prices/price_json.h"

#include <math.h>

MEMBER_WRITES(write_end, time, struct refresh_progress, progress,
              progress->running ? 0 : progress->ended_us)

static const struct member refresh_rows[] = {
    {MEMBER(struct refresh_progress, running)},
    {MEMBER(struct refresh_progress, feed), .nullable = true},
    {MEMBER(struct refresh_progress, scope), .nullable = true},
    {MEMBER(struct refresh_progress, scopes_done), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct refresh_progress, scopes), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct refresh_progress, feeds_done), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct refresh_progress, feeds), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_TIME_AT(struct refresh_progress, "started_at", started_us), .nullable = true},
    {MEMBER_WRITTEN("ended_at", MEMBER_TIME, write_end), .nullable = true},
    {0},
};
const struct members refresh_members = {.name = "Refresh",
                                        .meaning =
                                            "The current refresh of the feeds, or the last one.",
                                        .rows = refresh_rows};

/* By the price kind that expires first. */
static enum freshness row_freshness(const struct feed_row *row, const struct source *source,
                                    long long now_us)
{
    enum price_kind kind = source->has_spot ? PRICE_SPOT : PRICE_ON_DEMAND;
    long long said_us = row->source_us > 0 ? row->source_us : row->confirmed_us;
    bool doubted = row->doubt.until_us > 0;

    return (doubted ? freshness_of_doubted : freshness_of)(kind, now_us - said_us,
                                                           source->pace_seconds * US_PER_SECOND);
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
                           source->pace_seconds * US_PER_SECOND) &&
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

/* One word for all scopes, and the first reason of a failure. If the feed could not list its
 * scopes ("*"), none was read. */
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

#define TALLY(called, member) MEMBER_AS(struct price_batch_tally, called, member)
static const struct member tally_rows[] = {
    {TALLY("seen", seen)},
    {TALLY("unpriced", unpriced)},
    {TALLY("malformed", malformed)},
    {TALLY("ambiguous", ambiguous)},
    {TALLY("above_on_demand", expensive),
     .meaning = "Spot prices of more than twice the price on demand, and commitments that are "
                "costlier than that or a tenth of it."},
    {0},
};
static const struct members tally_members = {.rows = tally_rows};

static const struct member example_rows[] = {
    {MEMBER(struct waiting_price, instance_type)},
    {MEMBER(struct waiting_price, region), .nullable = true},
    {MEMBER(struct waiting_price, zone), .nullable = true},
    {MEMBER(struct waiting_price, kind), .words = price_kind_names},
    PRICES_HELD(struct waiting_price, nanos, waiting_nanos),
    {MEMBER_TIME_AT(struct waiting_price, "since", since_us), .nullable = true},
    {0},
};
static const struct members example_members = {.rows = example_rows};

MEMBER_LISTS(write_examples, struct feed_row, scope, scope->examples, scope->example_count)

MEMBER_WRITES(write_accepted_after, time, struct feed_row, scope,
              scope->doubt.until_us < DOUBT_ENDLESS ? scope->doubt.until_us : 0)
MEMBER_WRITES(write_by_a_person, bool, struct feed_row, scope,
              scope->doubt.until_us == DOUBT_ENDLESS)

static const struct member held_rows[] = {
    {MEMBER_AS(struct feed_row, "count", held), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Prices for which the last reading has a value that is held back; of a "
                "reading that is held back as a whole, all that are new, other or gone."},
    {MEMBER_WRITTEN("accepted_after", MEMBER_TIME, write_accepted_after), .nullable = true,
     .meaning = "A similar reading after this time is accepted. null: only a person accepts it, "
                "as only_by_a_person says; or the reading is accepted as a whole, and each price "
                "that waits is confirmed by "
                "itself: a spot price by the next reading that says the same, a price on demand "
                "and a region, family or kind that is lost by one an hour later."},
    {MEMBER_WRITTEN("only_by_a_person", MEMBER_BOOL, write_by_a_person),
     .meaning = "The reading looks like another page: no other reading confirms it, and a person "
                "may accept it with accept=true."},
    {MEMBER_LIST_OF("examples", &example_members), .write = write_examples, .most = HELD_EXAMPLES,
     .meaning = "The widest leaps."},
    {0},
};
static const struct members held_members = {
    .name = "HeldPrices",
    .meaning = "What is held back of the last reading: jumps, or a reading "
               "as a whole. The price of before stays, and is not fresh.",
    .rows = held_rows};

/* A scope at a moment. */
struct scope_view {
    const struct feed_row *row;
    long long now_us;
};

static double age_of(const struct scope_view *scope)
{
    const struct feed_row *row = scope->row;
    long long said_us = row->source_us > 0 ? row->source_us : row->confirmed_us;

    return said_us > 0 ? (double)(scope->now_us - said_us) / US_PER_SECOND : NAN;
}

MEMBER_FINDS(find_feed_row, struct scope_view, scope, scope->row)
MEMBER_FINDS(find_held, struct feed_row, scope,
             scope->held == 0 && scope->doubt.until_us == 0 ? NULL : scope)
MEMBER_WRITES(write_age, number, struct scope_view, scope, age_of(scope))

static const char *const scope_states[] = {"ok", "unchanged", "failed", NULL};

static const struct member reading_rows[] = {
    {MEMBER(struct feed_row, scope)},
    {MEMBER(struct feed_row, state), .words = scope_states},
    {MEMBER(struct feed_row, reason), .nullable = true},
    {MEMBER(struct feed_row, prices), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_TIME_AT(struct feed_row, "checked_at", checked_us), .nullable = true},
    {MEMBER_TIME_AT(struct feed_row, "fetched_at", confirmed_us), .nullable = true,
     .meaning = "When the last accepted reading was fetched."},
    {MEMBER_TIME_AT(struct feed_row, "changed_at", changed_us), .nullable = true},
    {MEMBER_TIME_AT(struct feed_row, "source_time", source_us), .nullable = true},
    {0},
};
static const struct members reading_members = {.rows = reading_rows};

static const struct member feed_answer_rows[] = {
    {MEMBER_AS(struct feed_row, "http_status", status), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct feed_row, bytes), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct feed_row, failures), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Failures since the last success."},
    {MEMBER_OBJECT_AT(struct feed_row, "left_out", tally), .members = &tally_members,
     .meaning = "Entries seen in the last accepted reading, and those left out of it."},
    {MEMBER_FOUND("held", &held_members, find_held), .nullable = true},
    {0},
};
static const struct members feed_answer_members = {.rows = feed_answer_rows};

static const struct member scope_rows[] = {
    {MEMBER_ROWS(&reading_members), .find = find_feed_row},
    {MEMBER_WRITTEN("age_seconds", MEMBER_NUMBER, write_age), .nullable = true},
    {MEMBER_ROWS(&feed_answer_members), .find = find_feed_row},
    {0},
};
static const struct members scope_members = {
    .name = "FeedScope",
    .meaning = "The state of one scope of a feed: a region, or the whole feed.",
    .rows = scope_rows};

static void write_scopes(struct json_writer *out, const struct member *row, const void *object)
{
    const struct feed_view *view = object;

    jsonw_open(out, row->name, '[');
    for (size_t i = 0; i < view->count; i++)
        members_write(out, NULL, row->members,
                      &(struct scope_view){&view->rows[i], view->now_us});
    jsonw_close(out, ']');
}

static long long prices_of(const struct feed_view *view)
{
    long long prices = 0;

    for (size_t i = 0; i < view->count; i++)
        prices += view->rows[i].prices;
    return prices;
}

static const char *state_of(const struct feed_view *view)
{
    const char *reason;

    return sum_up(view, &reason);
}

static const char *reason_of(const struct feed_view *view)
{
    const char *reason;

    (void)sum_up(view, &reason);
    return reason;
}

MEMBER_FINDS(find_source, struct feed_view, view, view->feed->source)
MEMBER_WRITES(write_state, text, struct feed_view, view, state_of(view))
MEMBER_WRITES(write_reason, text, struct feed_view, view, reason_of(view))
MEMBER_WRITES(write_freshness, text, struct feed_view, view, feed_label(view))
MEMBER_WRITES(write_prices, integer, struct feed_view, view, prices_of(view))
MEMBER_WRITES(write_every, integer, struct feed_view, view, view->feed->every_seconds)

static const char *const feed_states[] = {"off",           "idle",   "never_asked", "ok",
                                          "partly_failed", "failed", NULL};
static const char *const freshnesses[] = {"fresh", "stale", "expired", "frozen", NULL};

static const struct member source_rows[] = {
    {MEMBER_AS(struct source, "feed", name)},
    {MEMBER_AS(struct source, "label", title)},
    {MEMBER(struct source, provider), .nullable = true},
    {MEMBER(struct source, third_party)},
    {0},
};
static const struct members source_members = {.rows = source_rows};

static const struct member feed_rows[] = {
    {MEMBER_ROWS(&source_members), .find = find_source},
    {MEMBER_WRITTEN("state", MEMBER_TEXT, write_state), .words = feed_states,
     .meaning = "idle: the feed lacks a setting that it needs."},
    {MEMBER_WRITTEN("reason", MEMBER_TEXT, write_reason), .nullable = true},
    {MEMBER_WRITTEN("freshness", MEMBER_TEXT, write_freshness), .nullable = true,
     .words = freshnesses,
     .meaning =
         "The worst state of its scopes, by the price kind that expires first; stale while "
         "a reading is held back; frozen: the feed answers, but its own timestamp no "
         "longer changes."},
    {MEMBER_WRITTEN("prices", MEMBER_INTEGER, write_prices), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_WRITTEN("every_seconds", MEMBER_INTEGER, write_every), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_TIME_AT(struct feed_view, "next_at", due_us), .nullable = true},
    {MEMBER_LIST_OF("scopes", &scope_members), .write = write_scopes},
    {0},
};
const struct members feed_members = {
    .name = "Feed", .meaning = "A source of prices.", .rows = feed_rows};
