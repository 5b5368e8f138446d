/* Tested by tests/server/http/json/comparison/present_comparison_test.c. */
#include "server/http/json/comparison/present_comparison_price.h"

#include "answers/compare/sides.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "server/http/json/comparison/comparison_view.h"
#include "server/prices/price_json.h"

#include <math.h>

static const char *freshness_of_price(const struct row_price *price)
{
    return price_at_is_published(price->at) ? "published" : freshness_names[price->freshness];
}

static void write_commitment(struct json_writer *out, const struct member *row,
                             const void *object)
{
    const struct price *price = &((const struct row_price *)object)->at->price;

    present_commitment(out, row->name, price->kind, price->upfront_nanos);
}

MEMBER_FINDS(find_at, struct row_price, price, price->at)
MEMBER_WRITES(write_label, text, struct row_price, price, price_label(&price->at->price))
MEMBER_WRITES(write_freshness, text, struct row_price, price, freshness_of_price(price))
MEMBER_WRITES(write_why_not, text, struct row_price, price, price->known ? NULL : price->why_not)
MEMBER_FINDS(find_price, struct row_price, price, price->known ? price : NULL)

static const char *const freshnesses[] = {"fresh", "stale", "expired", "published", NULL};

static const struct member place_rows[] = {
    {MEMBER_AS(struct price_at, "region", price.region), .nullable = true, .filled = true},
    {MEMBER_AS(struct price_at, "zone", price.zone), .nullable = true, .filled = true},
    {MEMBER_AS(struct price_at, "feed", price.feed), .filled = true},
    {0},
};
static const struct members place_members = {.rows = place_rows};

static const struct member age_rows[] = {
    {MEMBER(struct price_at, third_party)},
    {MEMBER_ROWS(&price_times_members)},
    {0},
};
static const struct members age_members = {.rows = age_rows};

static const struct member price_rows[] = {
    {MEMBER(struct row_price, kind), .words = price_kind_names},
    {MEMBER(struct row_price, choice), .words = price_choice_names},
    {MEMBER_AS(struct row_price, "price_per_hour", dollars.value), .range = MEMBER_POSITIVE},
    {MEMBER_ROWS_AT(struct row_price, dollars, &amount_ends_members)},
    {MEMBER_AS(struct row_price, "list_price_per_hour", list), .range = MEMBER_POSITIVE},
    {MEMBER(struct row_price, factor), .range = MEMBER_POSITIVE, .schema = "{\"maximum\": 1}"},
    {MEMBER(struct row_price, factor_note), .nullable = true, .filled = true},
    {MEMBER_WRITTEN("commitment", MEMBER_OBJECT, write_commitment), .nullable = true,
     .members = &commitment_members},
    {MEMBER_ROWS(&place_members), .find = find_at},
    {MEMBER_WRITTEN("label", MEMBER_TEXT, write_label), .filled = true},
    {MEMBER_ROWS(&age_members), .find = find_at},
    {MEMBER_WRITTEN("freshness", MEMBER_TEXT, write_freshness), .words = freshnesses},
    {0},
};
static const struct members cost_an_hour_members = {
    .name = "ComparisonPrice",
    .meaning = "Dollars per hour after discount; for spot with the lowest and highest value of "
               "seven days.",
    .rows = price_rows};

static const struct member row_price_rows[] = {
    {MEMBER_FOUND("price", &cost_an_hour_members, find_price), .nullable = true},
    {MEMBER_WRITTEN("why_no_price", MEMBER_TEXT, write_why_not), .nullable = true,
     .filled = true},
    {0},
};
const struct members row_price_members = {.rows = row_price_rows};

static void write_nanos(struct json_writer *out, const struct member *row, const void *object)
{
    const struct price_at *at = MEMBER_VALUE(const struct price_at *, row, object);

    jsonw_number(out, row->name, at->price.nanos ? (double)at->price.nanos / 1e9 : NAN);
}

MEMBER_WRITES(write_spot_discount, number, struct offer, offer,
              offer->on_demand->price.nanos && offer->spot->price.nanos
                  ? 100 * (1 - (double)offer->spot->price.nanos /
                                   (double)offer->on_demand->price.nanos)
                  : NAN)

#define KIND(member)                                                                             \
    .name = #member, .type = MEMBER_NUMBER, .offset = offsetof(struct offer, member),            \
    .nullable = true, .write = write_nanos
static const struct member kinds_rows[] = {
    {KIND(on_demand)},
    {KIND(spot)},
    {KIND(typed)},
    {MEMBER_WRITTEN("spot_discount_percent", MEMBER_NUMBER, write_spot_discount),
     .nullable = true},
    {0},
};
static const struct members kinds_members = {
    .name = "ComparisonKinds",
    .meaning = "Dollars per hour of every kind in the feeds; null where no feed has one.",
    .rows = kinds_rows};

static const struct member offer_rows[] = {
    {MEMBER_GROUP("prices_per_hour", &kinds_members), .on_request = true},
    {MEMBER_AS(struct offer, "interruption_band", band), .nullable = true, .filled = true,
     .on_request = true},
    {0},
};
const struct members row_offer_members = {.rows = offer_rows};

const void *comparison_find_offer(const void *object)
{
    static const struct price_at none;
    static const struct offer nothing = {.on_demand = &none, .spot = &none, .typed = &none};
    const struct comparison_row *row = object;

    return row->offer ? row->offer : &nothing;
}

const void *comparison_find_samples(const void *object)
{
    const struct comparison_row *row = object;

    return row->has_cost ? &row->cost.samples_per_dollar : NULL;
}

MEMBER_FINDS(find_per_million, struct comparison_row, it,
             it->has_cost && !row_is_of_jobs(it) ? &it->cost.dollars_per_million : NULL)
MEMBER_FINDS(find_hours_per_million, struct comparison_row, it,
             it->has_cost && !row_is_of_jobs(it) ? &it->cost.hours_per_million : NULL)
MEMBER_WRITES(write_unit, text, struct comparison_row, it,
              it->contender->is_published ? it->contender->published.unit : "sample")
MEMBER_WRITES(write_interval_from, text, struct comparison_row, it,
              it->has_cost ? cost_part_names[it->dominates] : NULL)

static const char *const unit_words[] = {"sample", "job", NULL};

static const struct member cost_rows[] = {
    {MEMBER_WRITTEN("unit", MEMBER_TEXT, write_unit), .words = unit_words},
    {MEMBER_FOUND("samples_per_dollar", &amount_members, comparison_find_samples),
     .nullable = true},
    {MEMBER_FOUND("dollars_per_million_samples", &amount_members, find_per_million),
     .nullable = true},
    {MEMBER_FOUND("hours_per_million_samples", &amount_members, find_hours_per_million),
     .nullable = true},
    {MEMBER_WRITTEN("interval_from", MEMBER_TEXT, write_interval_from), .nullable = true,
     .on_request = true, .words = cost_part_names},
    {0},
};
const struct members row_cost_members = {.rows = cost_rows};

/* The dollars of the job, as a value with its interval. */
static void write_job_dollars(struct json_writer *out, const struct member *row,
                              const void *object)
{
    const struct row_job *job = &((const struct row_side *)object)->job;
    const struct amount dollars = {.value = price_exact(job->dollars),
                                   .low = price_exact(job->dollars_low),
                                   .high = price_exact(job->dollars_high),
                                   .has_interval = !isnan(job->dollars_low)};

    members_write(out, row->name, row->members,
                  job->hours > 0 && !isnan(job->dollars) ? &dollars : NULL);
}

MEMBER_FINDS(find_side_samples, struct row_side, side,
             side->has_cost ? &side->cost.samples_per_dollar : NULL)
MEMBER_FINDS(find_side_per_million, struct row_side, side,
             side->has_cost && !side->of_jobs ? &side->cost.dollars_per_million : NULL)
MEMBER_WRITES(write_side_interval_from, text, struct row_side, side,
              side->has_cost ? cost_part_names[side->dominates] : NULL)

static const struct member side_rows[] = {
    {MEMBER_ROWS_AT(struct row_side, price, &row_price_members)},
    {MEMBER_FOUND("samples_per_dollar", &amount_members, find_side_samples), .nullable = true},
    {MEMBER_FOUND("dollars_per_million_samples", &amount_members, find_side_per_million),
     .nullable = true},
    {MEMBER_WRITTEN("interval_from", MEMBER_TEXT, write_side_interval_from), .nullable = true,
     .words = cost_part_names},
    {MEMBER_AS(struct row_side, "job_hours", job.hours), .nullable = true,
     .range = MEMBER_POSITIVE},
    {MEMBER_WRITTEN("job_dollars", MEMBER_OBJECT, write_job_dollars), .nullable = true,
     .members = &amount_members},
    {0},
};
static const struct members side_members = {
    .name = "ComparisonSide",
    .meaning = "The row with one kind of price, as if only that kind were asked for. "
               "`job_dollars` is the job that was asked about, a million samples "
               "without one; its interval covers the throughput and the price.",
    .rows = side_rows};

static const struct row_side *side_of(const struct comparison_view *view,
                                      enum price_choice choice)
{
    return comparison_side(view->ranking, (size_t)(view->row - view->ranking->rows), choice);
}

MEMBER_FINDS(find_on_demand, struct comparison_view, view, side_of(view, CHOOSE_ON_DEMAND))
MEMBER_FINDS(find_spot, struct comparison_view, view, side_of(view, CHOOSE_SPOT))

static const struct member both_rows[] = {
    {MEMBER_FOUND("on_demand", &side_members, find_on_demand)},
    {MEMBER_FOUND("spot", &side_members, find_spot)},
    {0},
};
static const struct members both_members = {
    .name = "ComparisonSides",
    .meaning = "On demand and spot, independent of the ranking's kind.",
    .rows = both_rows};

/* A window with a price. */
struct window_said {
    int days;
    double known_days, low, high, mean, above;
};

static const struct member window_rows[] = {
    {MEMBER(struct window_said, days), .schema = "{\"enum\": [7, 30, 90]}"},
    {MEMBER(struct window_said, known_days), .range = MEMBER_POSITIVE,
     .meaning = "Number of those days with a known price."},
    {MEMBER(struct window_said, low)},
    {MEMBER(struct window_said, high)},
    {MEMBER(struct window_said, mean), .meaning = "Weighted by time."},
    {MEMBER_AS(struct window_said, "share_above_on_demand", above), .nullable = true,
     .range = MEMBER_SHARE,
     .meaning = "Share of that time above today's on-demand price; null where that is not "
                "known."},
    {0},
};
static const struct members window_members = {.rows = window_rows};

static void write_history(struct json_writer *out, const struct member *row, const void *object)
{
    const struct spot_history *history = &side_of(object, CHOOSE_SPOT)->history;

    if (!history->known) {
        jsonw_null(out, row->name);
        return;
    }
    jsonw_open(out, row->name, '[');
    for (size_t i = 0; i < SPOT_WINDOWS; i++) {
        const struct price_window *window = &history->windows[i];
        const struct window_said said = {.days = spot_window_days[i],
                                         .known_days = (double)window->known_us / US_PER_DAY,
                                         .low = window->low,
                                         .high = window->high,
                                         .mean = window->mean,
                                         .above = history->has_limit ? window->above : NAN};

        if (window->known)
            members_write(out, NULL, row->members, &said);
    }
    jsonw_close(out, ']');
}

static const struct member sides_rows[] = {
    {MEMBER_GROUP("kinds", &both_members), .on_request = true},
    {MEMBER_LIST_OF("spot_history", &window_members), .write = write_history, .nullable = true,
     .most = SPOT_WINDOWS, .on_request = true,
     .meaning = "How the spot price of `kinds` moved, in dollars an hour before any discount; "
                "null without one. Computed once an hour."},
    {0},
};
const struct members row_sides_members = {.rows = sides_rows};
