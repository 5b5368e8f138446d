/* A comparison as a table: CSV for spreadsheets, Markdown for people.
 * Tested by tests/server/http/json/present_comparison_test.c. */
#include "common/cleanup.h"
#include "common/clock.h"
#include "server/http/json/csv_cells.h"
#include "server/http/json/markdown_text.h"
#include "server/http/json/present_comparison.h"

#include <math.h>

static const char *words_or_none(const char *text)
{
    return text && *text ? text : "";
}

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

static bool add_time(struct bytes *text, long long calendar_us)
{
    char when[RFC3339_SIZE];

    if (calendar_us == 0)
        return bytes_add(text, ",", 1);
    clock_rfc3339(calendar_us, when);
    return bytes_printf(text, ",%s", when);
}

/* A row on demand or on spot; in the order of SIDE_COLUMNS. */
static bool add_side(struct bytes *text, const struct row_side *side)
{
    const struct row_price *price = &side->price;
    const struct quote *quote = price->quote;
    bool job = side->job.hours > 0;

    return csv_add_text(text, price->known ? price->kind : "") &&
           add_amount(text, price->known, &price->dollars) &&
           csv_add_text(text, quote ? quote->region : "") &&
           csv_add_text(text, quote ? quote->feed : "") &&
           add_time(text, quote ? quote->fetched_us : 0) &&
           add_amount(text, side->has_cost, &side->cost.samples_per_dollar) &&
           csv_add_number(text, job ? price_exact(side->job.dollars) : NAN) &&
           csv_add_number(text, job ? price_exact(side->job.dollars_low) : NAN) &&
           csv_add_number(text, job ? price_exact(side->job.dollars_high) : NAN) &&
           csv_add_text(text, price->known ? "" : price->why_not);
}

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
    const struct quote *quote = price->quote;

    return add_who(text, row) && add_amount(text, measured, &row->speed) &&
           csv_add_text(text, standing_level_names[standing->level]) &&
           csv_add_number(text, (double)standing->runs) &&
           csv_add_number(text, (double)standing->vms) &&
           csv_add_text(text, price->known ? price->kind : "") &&
           csv_add_number(text, price->known ? price->dollars.value : NAN) &&
           csv_add_text(text, quote ? quote->region : "") &&
           csv_add_text(text, quote ? quote->feed : "") &&
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
           add_labels(text, question) && bytes_add(text, "\r\n", 2);
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
            SIDE_COLUMNS("spot") ",labels\r\n");

    for (size_t i = first; ok && i < ranking->count && i - first < (size_t)question->limit; i++)
        ok = add_row(text, question, ranking, i);
    return ok;
}

/* As many digits as half of an interval leaves two of; three where there is none. */
static int decimals(double value, double half)
{
    double smallest = half > 0 ? half / 10 : fabs(value) / 100;
    int digits = (int)-floor(log10(smallest));

    return digits < 0 ? 0 : digits > 6 ? 6 : digits;
}

/* To the same place in front of the point too: 410,723 +- 5,600 is 410,700. */
static double round_to(double value, double half)
{
    double unit = pow(10, floor(log10(half / 10)));

    return half > 0 && unit > 1 ? round(value / unit) * unit : value;
}

static bool add_with_interval(struct bytes *text, bool known, const struct amount *amount)
{
    double half = known && amount->has_interval ? (amount->high - amount->low) / 2 : 0;
    int places;

    if (!known)
        return bytes_printf(text, " | unknown");
    places = decimals(amount->value, half);
    if (!(half > 0))
        return bytes_printf(text, " | %.*f (no interval)", places, amount->value);
    return bytes_printf(text, " | %.*f (%.*f to %.*f)", places, round_to(amount->value, half),
                        places, round_to(amount->low, half), places,
                        round_to(amount->high, half));
}

static bool add_words(struct bytes *text, const char *words)
{
    return bytes_printf(text, " | ") && markdown_add_plain(text, words);
}

static bool add_price(struct bytes *text, const struct row_price *price)
{
    if (!price->known)
        return add_words(text, price->why_not);
    return bytes_printf(text, " | $%.4g %s%s", price->dollars.value, price->kind,
                        price->factor < 1 ? " (discounted)" : "");
}

/* What a dollar buys at one kind of price, and the price. */
static bool add_side_words(struct bytes *text, const struct row_side *side)
{
    if (!side->price.known)
        return add_words(text, side->price.why_not);
    return add_with_interval(text, side->has_cost, &side->cost.samples_per_dollar) &&
           bytes_printf(text, " at $%.4g", side->price.dollars.value) &&
           (!(side->job.hours > 0) || bytes_printf(text, ", job $%.4g", side->job.dollars));
}

static bool add_line(struct bytes *text, const struct ranking *ranking, size_t at)
{
    const struct comparison_row *row = &ranking->rows[at];
    const struct contender *contender = row->contender;
    bool measured = contender->standing.level != STANDING_NONE;
    bool ok;

    if (row->rank.low > 0 && row->rank.low == row->rank.high)
        ok = bytes_printf(text, "| %zu", row->rank.low);
    else if (row->rank.low > 0)
        ok = bytes_printf(text, "| %zu to %zu", row->rank.low, row->rank.high);
    else
        ok = bytes_printf(text, "| -");
    return ok && add_words(text, contender->instance[0] ? contender->instance : "this machine") &&
           add_words(text, contender->engine) && add_with_interval(text, measured, &row->speed) &&
           add_price(text, &row->price) &&
           add_with_interval(text, row->has_cost, &row->cost.samples_per_dollar) &&
           add_side_words(text, comparison_side(ranking, at, CHOOSE_ON_DEMAND)) &&
           add_side_words(text, comparison_side(ranking, at, CHOOSE_SPOT)) &&
           bytes_printf(text, " | %s", row->is_on_front ? "yes" : "") &&
           add_words(text, row->why_no_rank) &&
           (!row->is_stale || (bytes_printf(text, "%s", row->why_no_rank[0] ? "; " : "") &&
                               markdown_add_plain(text, row->why_stale))) &&
           bytes_printf(text, " |\n");
}

static bool add_pair(struct bytes *text, const char *key, const char *value)
{
    AUTO(bytes_free) struct bytes pair = {.limit = text->limit};

    return bytes_printf(&pair, "%s=%s", key, value) && markdown_add_code(text, pair.data);
}

/* What was asked, what of it matches nothing, and the decision. */
static bool add_head(struct bytes *text, const struct comparison_question *question,
                     const struct ranking *ranking)
{
    bool ok = bytes_printf(text, "**") && markdown_add_plain(text, question->workload) &&
              bytes_printf(text, "**, %s price%s", price_choice_names[question->kinds[0]],
                           question->reference ? ", reference " : "") &&
              markdown_add_plain(text, words_or_none(question->reference));

    for (int i = 0; ok && i < question->label_count; i++)
        ok = bytes_printf(text, "%s ", i == 0 ? ", only runs with" : " and") &&
             add_pair(text, question->labels[i].key, question->labels[i].value);
    ok = ok && bytes_printf(text, "\n\n");
    for (size_t i = 0; ok && i < ranking->unmatched_count; i++)
        ok = add_pair(text, ranking->unmatched[i].parameter, ranking->unmatched[i].value) &&
             bytes_printf(text, " matches nothing: ") &&
             markdown_add_plain(text, ranking->unmatched[i].words) && bytes_printf(text, ".\n\n");
    if (ok && ranking->decision[0])
        ok = markdown_add_plain(text, ranking->decision) && bytes_printf(text, "\n\n");
    return ok;
}

bool present_comparison_markdown(struct bytes *text, const struct comparison_question *question,
                                 const struct ranking *ranking)
{
    size_t first = (size_t)question->offset, shown = 0;
    bool ok = add_head(text, question, ranking);

    ok = ok &&
         bytes_printf(text,
                      "| rank | instance type | engine | samples/s | $/h | samples/$ | samples/$ "
                      "on demand | samples/$ on spot | Pareto | remark "
                      "|\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = first; ok && i < ranking->count && shown < (size_t)question->limit;
         i++, shown++)
        ok = add_line(text, ranking, i);
    return ok &&
           bytes_printf(text,
                        "\nIntervals are 95 %%. A rank of 1 to 3 means that at most two rows are "
                        "better. %zu "
                        "more rows are not shown, %zu types have a price and no "
                        "measurement.\n",
                        ranking->filtered + ranking->count - shown, ranking->unmeasured_count);
}
