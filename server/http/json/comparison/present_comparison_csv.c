/* Tested by tests/server/http/json/comparison/present_comparison_test.c and
 * present_comparison_markdown_test.c. */
#include "server/http/json/comparison/present_comparison_csv.h"

#include "answers/compare/sides.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "pricing/commitment.h"
#include "server/http/json/comparison/present_comparison.h"
#include "server/http/json/csv_cells.h"
#include "server/http/json/present_senders.h"

#include <math.h>

static bool add_amount(struct bytes *text, bool known, const struct amount *amount)
{
    bool interval = known && amount->has_interval;

    return csv_add_number(text, known ? amount->value : NAN) &&
           csv_add_number(text, interval ? amount->low : NAN) &&
           csv_add_number(text, interval ? amount->high : NAN);
}

static bool add_who(struct bytes *text, const struct comparison_row *row)
{
    const struct contender *contender = row->contender;
    bool ok = row->rank.low > 0 ? bytes_printf(text, "%zu,%zu,", row->rank.low, row->rank.high)
                                : bytes_printf(text, ",,");

    return ok && bytes_printf(text, "%s", row->rank.may_be_best ? "true" : "false") &&
           csv_add_text(text, contender->instance) && csv_add_text(text, contender->provider) &&
           csv_add_text(text, contender->newest.cpu_model) &&
           csv_add_text(text, contender->engine) &&
           csv_add_text(text, contender->configuration) &&
           csv_add_text(text, comparison_provenance(contender));
}

/* "branch=main;ticket=1": the same in all rows, so that tables of two branches can be put
 * together.
 */
static bool add_labels(struct bytes *text, const struct comparison_question *question)
{
    AUTO(bytes_free) struct bytes cell = {.limit = 4096};
    bool ok = bytes_printf(&cell, "%s", "");

    for (int i = 0; ok && i < question->label_count; i++)
        ok = bytes_printf(&cell, "%s%s=%s", i > 0 ? ";" : "", question->labels[i].key,
                          question->labels[i].value);
    return ok && csv_add_text(text, cell.data ? cell.data : "");
}

static bool add_senders(struct bytes *text, const struct contender *contender)
{
    AUTO(bytes_free) struct bytes cell = {.limit = text->limit};

    return present_senders_line(&cell, contender) &&
           csv_add_text(text, cell.data ? cell.data : "");
}

static bool add_time(struct bytes *text, long long calendar_us)
{
    char when[RFC3339_SIZE];

    if (calendar_us == 0)
        return bytes_add(text, ",", 1);
    clock_rfc3339(calendar_us, when);
    return bytes_printf(text, ",%s", when);
}

/* The feed's facts about the price; blank for other prices. */
static const struct price *said_of(const struct row_price *price)
{
    static const struct price none;

    return price->known && price->at->price.nanos ? &price->at->price : &none;
}

/* Years, payment and upfront part of a commitment, in the order of TERM_COLUMNS. Empty for hourly
 * prices. */
static bool add_terms(struct bytes *text, const struct row_price *price)
{
    const struct price_terms *terms = price_terms_of(said_of(price)->kind);

    return csv_add_number(text, terms ? (double)terms->years : NAN) &&
           csv_add_text(text, terms ? payment_names[terms->payment] : "") &&
           csv_add_number(text, terms ? (double)said_of(price)->upfront_nanos / 1e9 : NAN);
}

/* Tokens a second, of a workload on text. */
static bool add_tokens(struct bytes *text, const struct comparison_question *question,
                       const struct comparison_row *row)
{
    struct amount speed;

    return add_amount(text, comparison_tokens(question, row, &speed), &speed);
}
#define TOKEN_COLUMNS ",tokens_per_second,tokens_per_second_low,tokens_per_second_high"

/* Whether the job meets the question, and its cost including waiting; in the order of
 * JOB_COLUMNS. */
static bool add_forecast(struct bytes *text, const struct row_job *job)
{
    const bool drawn = job->has_forecast, known = job->hours > 0;

    return csv_add_number(text, known ? price_exact(job->total_dollars) : NAN) &&
           csv_add_number(text, drawn ? job->probability : NAN) &&
           csv_add_number(text, drawn ? job->hours_low : NAN) &&
           csv_add_number(text, drawn ? job->hours_high : NAN);
}
#define JOB_COLUMNS ",job_total_dollars,job_probability,job_hours_low,job_hours_high"

#define TERM_COLUMNS ",commitment_years,commitment_payment,commitment_upfront_dollars"

/* A row on demand or on spot; in the order of SIDE_COLUMNS. */
static bool add_side(struct bytes *text, const struct row_side *side)
{
    const struct row_price *price = &side->price;
    const struct price *said = said_of(price);
    bool job = side->job.hours > 0;

    return csv_add_text(text, price->known ? price->kind : "") &&
           add_amount(text, price->known, &price->dollars) && csv_add_text(text, said->region) &&
           csv_add_text(text, said->feed) && add_time(text, said->fetched_us) &&
           add_amount(text, side->has_cost, &side->cost.samples_per_dollar) &&
           csv_add_number(text, job ? price_exact(side->job.dollars) : NAN) &&
           csv_add_number(text, job ? price_exact(side->job.dollars_low) : NAN) &&
           csv_add_number(text, job ? price_exact(side->job.dollars_high) : NAN) &&
           csv_add_text(text, price->known ? "" : price->why_not);
}

/* The spot history: a group of cells per window, in the order of HISTORY_COLUMNS. */
static bool add_history(struct bytes *text, const struct spot_history *history)
{
    bool ok = true;

    for (size_t i = 0; ok && i < SPOT_WINDOWS; i++) {
        const struct price_window *window = &history->windows[i];
        bool known = history->known && window->known;

        ok = csv_add_number(text, known ? window->known_us / 86400e6 : NAN) &&
             csv_add_number(text, known ? window->low : NAN) &&
             csv_add_number(text, known ? window->high : NAN) &&
             csv_add_number(text, known ? window->mean : NAN) &&
             csv_add_number(text, known && history->has_limit ? window->above : NAN);
    }
    return ok;
}

#define HISTORY_COLUMNS(days)                                                                    \
    ",spot_" days "_days_known_days,spot_" days "_days_low,spot_" days "_days_high,spot_" days   \
    "_days_mean,spot_" days "_days_share_above_on_demand"
#define SIDE_COLUMNS(side)                                                                       \
    "," side "_kind," side "_dollars_per_hour," side "_dollars_per_hour_low," side               \
    "_dollars_per_hour_high," side "_region," side "_feed," side "_fetched_at," side             \
    "_samples_per_dollar," side "_samples_per_dollar_low," side "_samples_per_dollar_high," side \
    "_job_dollars," side "_job_dollars_low," side "_job_dollars_high," side "_why_no_price"

static bool add_row(struct bytes *text, const struct comparison_question *question,
                    const struct ranking *ranking, size_t at)
{
    const struct comparison_row *row = &ranking->rows[at];
    const struct standing *standing = &row->contender->standing;
    const struct row_price *price = &row->price;
    bool measured = standing->level != STANDING_NONE;
    const struct price *said = said_of(price);

    return add_who(text, row) && add_amount(text, measured, &row->speed) &&
           csv_add_text(text, standing_level_names[standing->level]) &&
           csv_add_number(text, (double)standing->runs) &&
           csv_add_number(text, (double)standing->vms) &&
           csv_add_text(text, price->known ? price->kind : "") &&
           csv_add_number(text, price->known ? price->dollars.value : NAN) &&
           csv_add_text(text, said->region) && csv_add_text(text, said->feed) &&
           add_amount(text, row->has_cost, &row->cost.samples_per_dollar) &&
           csv_add_number(text, measured ? row->job.samples : NAN) &&
           csv_add_number(text, measured ? row->job.hours : NAN) &&
           csv_add_number(text, measured ? price_exact(row->job.dollars) : NAN) &&
           csv_add_number(text, row->ratio.value) &&
           csv_add_number(text, row->ratio.known ? row->ratio.low : NAN) &&
           csv_add_number(text, row->ratio.known ? row->ratio.high : NAN) &&
           bytes_printf(text, ",%s", row->is_on_front ? "true" : "false") &&
           csv_add_number(text, row->utility) && csv_add_text(text, row->why_no_rank) &&
           csv_add_text(text, row->contender->is_published ? row->contender->published.unit
                                                           : "sample") &&
           csv_add_text(text, row->contender->version) &&
           csv_add_text(text, row->is_stale ? row->why_stale : "") &&
           add_side(text, comparison_side(ranking, at, CHOOSE_ON_DEMAND)) &&
           add_side(text, comparison_side(ranking, at, CHOOSE_SPOT)) &&
           add_history(text, &comparison_side(ranking, at, CHOOSE_SPOT)->history) &&
           add_labels(text, question) && add_senders(text, row->contender) &&
           add_terms(text, price) && add_tokens(text, question, row) &&
           add_forecast(text, &row->job) && bytes_add(text, "\r\n", 2);
}

bool present_comparison_csv(struct bytes *text, const struct comparison_question *question,
                            const struct ranking *ranking)
{
    size_t first = (size_t)question->offset;
    bool ok = bytes_printf(
        text,
        "rank_low,rank_high,may_be_best,instance_type,provider,cpu_model,engine,configuration,"
        "provenance,"
        "samples_per_second,samples_per_second_low,samples_per_second_high,level,runs,vms,"
        "price_kind,dollars_per_hour,region,feed,samples_per_dollar,samples_per_dollar_low,"
        "samples_per_dollar_high,job_samples,job_hours,job_dollars,ratio,ratio_low,"
        "ratio_high,pareto,utility,why_no_rank,unit,version,stale" SIDE_COLUMNS("on_demand")
            SIDE_COLUMNS("spot") HISTORY_COLUMNS("7") HISTORY_COLUMNS("30")
                HISTORY_COLUMNS("90") ",labels,senders" TERM_COLUMNS TOKEN_COLUMNS JOB_COLUMNS
                                      "\r\n");

    for (size_t i = first; ok && i < ranking->count && i - first < (size_t)question->limit; i++)
        ok = add_row(text, question, ranking, i);
    return ok;
}
