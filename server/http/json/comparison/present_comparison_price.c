/* Tested by tests/server/http/json/comparison/present_comparison_test.c. */
#include "server/http/json/comparison/present_comparison_price.h"

#include "answers/compare/sides.h"
#include "common/cleanup.h"
#include "common/text.h"
#include "pricing/feeds/source.h"
#include "server/prices/price_json.h"

#include <math.h>

static void present_origin(struct json_writer *out, const struct quote *quote)
{
    const struct source *source = source_find(quote->feed);

    jsonw_text(out, "region", text_or_null(quote->region));
    jsonw_text(out, "zone", text_or_null(quote->zone));
    jsonw_text(out, "feed", quote->feed);
    jsonw_text(out, "label",
               source                ? source->title
               : quote->is_published ? "published with a figure"
                                     : "given by a person");
    jsonw_bool(out, "third_party", quote->third_party);
    jsonw_time(out, "valid_from", quote->since_us);
    jsonw_time(out, "source_time", quote->source_us);
    jsonw_time(out, "fetched_at", quote->fetched_us);
    jsonw_text(out, "freshness",
               quote->is_published ? "published" : freshness_names[quote->freshness]);
}

static void present_no_origin(struct json_writer *out, const struct row_price *price)
{
    bool paid = !price->is_given;

    jsonw_null(out, "region");
    jsonw_null(out, "zone");
    jsonw_text(out, "feed", paid ? "run" : "question");
    jsonw_text(out, "label", paid ? "as its newest run knew it" : "given in the question");
    jsonw_bool(out, "third_party", false);
    jsonw_null(out, "valid_from");
    jsonw_null(out, "source_time");
    jsonw_null(out, "fetched_at");
    jsonw_text(out, "freshness", freshness_names[price->freshness]);
}

void present_row_price(struct json_writer *out, const struct row_price *price)
{
    if (!price->known) {
        jsonw_null(out, "price");
        jsonw_text(out, "why_no_price", price->why_not);
        return;
    }
    jsonw_open(out, "price", '{');
    jsonw_text(out, "kind", price->kind);
    jsonw_text(out, "choice", price_choice_names[price->choice]);
    jsonw_number(out, "price_per_hour", price->dollars.value);
    jsonw_number(out, "low", price->dollars.has_interval ? price->dollars.low : NAN);
    jsonw_number(out, "high", price->dollars.has_interval ? price->dollars.high : NAN);
    jsonw_number(out, "list_price_per_hour", price->list);
    jsonw_number(out, "factor", price->factor);
    jsonw_text(out, "factor_note", text_or_null(price->factor_note));
    present_commitment(out, price->quote ? price->quote->kind : PRICE_TYPED,
                       price->quote ? price->quote->upfront_nanos : 0);
    if (price->quote)
        present_origin(out, price->quote);
    else
        present_no_origin(out, price);
    jsonw_close(out, '}');
    jsonw_null(out, "why_no_price");
}

static void present_quote(struct json_writer *out, const char *key, const struct quote *quote)
{
    jsonw_number(out, key, quote && quote->known ? (double)quote->nanos / 1e9 : NAN);
}

/* Dollars an hour of every kind, as the feeds have them. */
void present_prices_per_hour(struct json_writer *out, const struct offer *offer)
{
    const struct quote *on_demand = offer ? &offer->on_demand : NULL;
    const struct quote *spot = offer ? &offer->spot : NULL;
    bool both = offer && on_demand->known && spot->known;

    jsonw_open(out, "prices_per_hour", '{');
    present_quote(out, "on_demand", on_demand);
    present_quote(out, "spot", spot);
    present_quote(out, "typed", offer ? &offer->typed : NULL);
    jsonw_number(out, "spot_discount_percent",
                 both ? 100 * (1 - (double)spot->nanos / (double)on_demand->nanos) : NAN);
    jsonw_close(out, '}');
    jsonw_text(out, "interruption_band", text_or_null(offer ? offer->band : ""));
}

void present_row_cost(struct json_writer *out, const struct comparison_row *row)
{
    bool per_million = row->has_cost && !row_is_of_jobs(row);

    jsonw_text(out, "unit",
               row->contender->is_published ? row->contender->published.unit : "sample");
    present_interval(out, "samples_per_dollar",
                     row->has_cost ? &row->cost.samples_per_dollar : NULL);
    present_interval(out, "dollars_per_million_samples",
                     per_million ? &row->cost.dollars_per_million : NULL);
    present_interval(out, "hours_per_million_samples",
                     per_million ? &row->cost.hours_per_million : NULL);
    jsonw_text(out, "interval_from", row->has_cost ? cost_part_names[row->dominates] : NULL);
}

/* The dollars of the job, as a value with its interval. */
static void present_job_dollars(struct json_writer *out, const struct row_job *job)
{
    const struct amount dollars = {.value = price_exact(job->dollars),
                                   .low = price_exact(job->dollars_low),
                                   .high = price_exact(job->dollars_high),
                                   .has_interval = !isnan(job->dollars_low)};

    present_interval(out, "job_dollars",
                     job->hours > 0 && !isnan(job->dollars) ? &dollars : NULL);
}

static void present_side(struct json_writer *out, const char *key, const struct row_side *side,
                         bool of_jobs)
{
    bool per_million = side->has_cost && !of_jobs;

    jsonw_open(out, key, '{');
    present_row_price(out, &side->price);
    present_interval(out, "samples_per_dollar",
                     side->has_cost ? &side->cost.samples_per_dollar : NULL);
    present_interval(out, "dollars_per_million_samples",
                     per_million ? &side->cost.dollars_per_million : NULL);
    jsonw_text(out, "interval_from", side->has_cost ? cost_part_names[side->dominates] : NULL);
    jsonw_number(out, "job_hours", side->job.hours > 0 ? side->job.hours : NAN);
    present_job_dollars(out, &side->job);
    jsonw_close(out, '}');
}

/* Of the windows, those in which there was a price. */
static void present_history(struct json_writer *out, const struct spot_history *history)
{
    if (!history->known) {
        jsonw_null(out, "spot_history");
        return;
    }
    jsonw_open(out, "spot_history", '[');
    for (size_t i = 0; i < SPOT_WINDOWS; i++) {
        const struct price_window *window = &history->windows[i];

        if (!window->known)
            continue;
        jsonw_open(out, NULL, '{');
        jsonw_integer(out, "days", spot_window_days[i]);
        jsonw_number(out, "known_days", window->known_us / 86400e6);
        jsonw_number(out, "low", window->low);
        jsonw_number(out, "high", window->high);
        jsonw_number(out, "mean", window->mean);
        jsonw_number(out, "share_above_on_demand", history->has_limit ? window->above : NAN);
        jsonw_close(out, '}');
    }
    jsonw_close(out, ']');
}

void present_sides(struct json_writer *out, const struct ranking *ranking,
                   const struct comparison_row *row)
{
    size_t at = (size_t)(row - ranking->rows);
    bool of_jobs = row_is_of_jobs(row);

    jsonw_open(out, "kinds", '{');
    present_side(out, "on_demand", comparison_side(ranking, at, CHOOSE_ON_DEMAND), of_jobs);
    present_side(out, "spot", comparison_side(ranking, at, CHOOSE_SPOT), of_jobs);
    jsonw_close(out, '}');
    present_history(out, &comparison_side(ranking, at, CHOOSE_SPOT)->history);
}
