/* A comparison as a table: CSV for spreadsheets, Markdown for people.
 * Tested by tests/server/http/json/present_comparison_test.c. */
#include "common/cleanup.h"
#include "server/http/json/present_comparison.h"

#include <math.h>

static const char *words_or_none(const char *text)
{
    return text && *text ? text : "";
}

/* Quoted where it must be, and never a formula: what begins like one is a spreadsheet's trap. */
static bool add_cell(struct bytes *text, const char *cell)
{
    bool formula = *cell && strchr("=+-@\t\r", *cell);
    bool ok = bytes_printf(text, ",\"%s", formula ? "'" : "");

    for (const char *c = cell; ok && *c; c++)
        ok = bytes_printf(text, *c == '"' ? "\"\"" : "%c", *c);
    return ok && bytes_add(text, "\"", 1);
}

static bool add_number(struct bytes *text, double number)
{
    return isfinite(number) ? bytes_printf(text, ",%.10g", number) : bytes_add(text, ",", 1);
}

static bool add_amount(struct bytes *text, bool known, const struct amount *amount)
{
    bool interval = known && amount->has_interval;

    return add_number(text, known ? amount->value : NAN) &&
           add_number(text, interval ? amount->low : NAN) &&
           add_number(text, interval ? amount->high : NAN);
}

static bool add_who(struct bytes *text, const struct comparison_row *row)
{
    const struct contender *contender = row->contender;
    bool ok = row->rank.low > 0 ? bytes_printf(text, "%zu,%zu,", row->rank.low, row->rank.high)
                                : bytes_printf(text, ",,");

    return ok && bytes_printf(text, "%s", row->rank.may_be_best ? "true" : "false") &&
           add_cell(text, contender->instance) && add_cell(text, contender->provider) &&
           add_cell(text, contender->newest.cpu_model) && add_cell(text, contender->engine) &&
           add_cell(text, contender->configuration) &&
           add_cell(text, comparison_provenance(contender));
}

static bool add_row(struct bytes *text, const struct comparison_row *row)
{
    const struct standing *standing = &row->contender->standing;
    const struct row_price *price = &row->price;
    bool measured = standing->level != STANDING_NONE;
    const struct quote *quote = price->quote;

    return add_who(text, row) && add_amount(text, measured, &row->speed) &&
           add_cell(text, standing_level_names[standing->level]) &&
           add_number(text, (double)standing->runs) && add_number(text, (double)standing->vms) &&
           add_cell(text, price->known ? price->kind : "") &&
           add_number(text, price->known ? price->dollars.value : NAN) &&
           add_cell(text, quote ? quote->region : "") &&
           add_cell(text, quote ? quote->feed : "") &&
           add_amount(text, row->has_cost, &row->cost.samples_per_dollar) &&
           add_number(text, measured ? row->job.samples : NAN) &&
           add_number(text, measured ? row->job.hours : NAN) &&
           add_number(text, measured ? row->job.dollars : NAN) &&
           add_number(text, row->ratio.value) &&
           add_number(text, row->ratio.known ? row->ratio.low : NAN) &&
           add_number(text, row->ratio.known ? row->ratio.high : NAN) &&
           bytes_printf(text, ",%s", row->is_on_front ? "true" : "false") &&
           add_number(text, row->utility) && add_cell(text, row->why_no_rank) &&
           add_cell(text,
                    row->contender->is_published ? row->contender->published.unit : "sample") &&
           add_cell(text, row->contender->version) &&
           add_cell(text, row->is_stale ? row->why_stale : "") && bytes_add(text, "\r\n", 2);
}

bool present_comparison_csv(struct bytes *text, const struct comparison_question *question,
                            const struct ranking *ranking)
{
    size_t first = (size_t)question->offset;
    bool ok = bytes_printf(
        text, "rank_low,rank_high,may_be_best,instance,provider,cpu_model,engine,configuration,"
              "provenance,"
              "samples_per_second,samples_per_second_low,samples_per_second_high,level,runs,vms,"
              "price_kind,dollars_per_hour,region,feed,samples_per_dollar,samples_per_dollar_low,"
              "samples_per_dollar_high,job_samples,job_hours,job_dollars,ratio,ratio_low,"
              "ratio_high,pareto,utility,why_no_rank,unit,version,stale\r\n");

    for (size_t i = first; ok && i < ranking->count && i - first < (size_t)question->limit; i++)
        ok = add_row(text, &ranking->rows[i]);
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

/* A bar would end the cell, and a control character the line. */
static bool add_words(struct bytes *text, const char *words)
{
    bool ok = bytes_printf(text, " | ");

    for (const char *c = words; ok && *c; c++)
        ok = bytes_printf(text, *c == '|' ? "\\|" : "%c", (unsigned char)*c < ' ' ? ' ' : *c);
    return ok;
}

static bool add_price(struct bytes *text, const struct row_price *price)
{
    if (!price->known)
        return add_words(text, price->why_not);
    return bytes_printf(text, " | $%.4g %s%s", price->dollars.value, price->kind,
                        price->factor < 1 ? " (discounted)" : "");
}

static bool add_line(struct bytes *text, const struct comparison_row *row)
{
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
           bytes_printf(text, " | %s", row->is_on_front ? "yes" : "") &&
           add_words(text, row->why_no_rank) &&
           (!row->is_stale ||
            bytes_printf(text, "%s%s", row->why_no_rank[0] ? "; " : "", row->why_stale)) &&
           bytes_printf(text, " |\n");
}

bool present_comparison_markdown(struct bytes *text, const struct comparison_question *question,
                                 const struct ranking *ranking)
{
    size_t first = (size_t)question->offset, shown = 0;
    bool ok = bytes_printf(text, "**%s**, %s price%s%s\n\n", question->workload,
                           price_choice_names[question->kinds[0]],
                           question->reference ? ", reference " : "",
                           words_or_none(question->reference));

    for (size_t i = 0; ok && i < ranking->unmatched_count; i++)
        ok = bytes_printf(text, "`%s=%s` matches nothing: %s.\n\n",
                          ranking->unmatched[i].parameter, ranking->unmatched[i].value,
                          ranking->unmatched[i].words);
    if (ok && ranking->decision[0])
        ok = bytes_printf(text, "%s\n\n", ranking->decision);
    ok = ok && bytes_printf(text, "| rank | instance | engine | samples/s | $/h | samples/$ | "
                                  "Pareto | remark |\n|---|---|---|---|---|---|---|---|\n");
    for (size_t i = first; ok && i < ranking->count && shown < (size_t)question->limit;
         i++, shown++)
        ok = add_line(text, &ranking->rows[i]);
    return ok &&
           bytes_printf(text,
                        "\nIntervals are 95 %%. A rank of 1 to 3 means that at most two rows are "
                        "better. %zu "
                        "more rows are not shown, %zu types have a price and no "
                        "measurement.\n",
                        ranking->filtered + ranking->count - shown, ranking->unmeasured_count);
}
