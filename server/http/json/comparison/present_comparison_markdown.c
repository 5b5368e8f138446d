/* The reasons for unknown prices stand below the table. */
#include "server/http/json/comparison/present_comparison_markdown.h"

#include "answers/compare/sides.h"
#include "common/cleanup.h"
#include "server/http/json/markdown_text.h"
#include "server/http/json/present_senders.h"

#include <math.h>

#define NOTES_MAX 9

/* Reasons for unknown prices, each once for all its rows. */
struct notes {
    char list[NOTES_MAX][WHY_NO_PRICE_SIZE];
    size_t count;
};

/* A table that is being written. */
struct table {
    struct bytes *text;
    const struct comparison_question *question;
    const struct ranking *ranking;
    struct notes notes;
};

/* So many digits that half of the interval has two; three without an interval. */
static int markdown_decimals(double value, double half)
{
    double smallest = half > 0 ? half / 10 : fabs(value) / 100;
    int digits = (int)-floor(log10(smallest));

    return digits < 0 ? 0 : digits > 6 ? 6 : digits;
}

/* Rounds digits before the point, too: 410,723 +- 5,600 is 410,700. */
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
    places = markdown_decimals(amount->value, half);
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

static bool add_sender_words(struct bytes *text, const struct contender *contender)
{
    AUTO(bytes_free) struct bytes words = {.limit = text->limit};

    return present_senders_line(&words, contender) &&
           add_words(text, words.data ? words.data : "");
}

/* The reason without the type's name, so that it fits other types. */
static void markdown_generalise(const struct contender *contender, const char *why,
                                char ret_text[WHY_NO_PRICE_SIZE])
{
    char about[80];
    const char *at;

    snprintf(about, sizeof about, " for %.60s", contender->instance);
    at = contender->instance[0] ? strstr(why, about) : NULL;
    if (at && (at[strlen(about)] == '\0' || strchr(" ;", at[strlen(about)])))
        snprintf(ret_text, WHY_NO_PRICE_SIZE, "%.*s of it%s", (int)(at - why), why,
                 at + strlen(about));
    else
        snprintf(ret_text, WHY_NO_PRICE_SIZE, "%s", why);
}

/* "no price (1)", with the reason in the note; the reason itself if the notes are full. */
static bool add_why_no_price(struct table *table, const struct contender *contender,
                             const char *why)
{
    struct notes *notes = &table->notes;
    char words[WHY_NO_PRICE_SIZE];
    size_t at = 0;

    markdown_generalise(contender, why, words);
    while (at < notes->count && strcmp(notes->list[at], words) != 0)
        at++;
    if (at == NOTES_MAX)
        return markdown_add_plain(table->text, why);
    if (at == notes->count)
        memcpy(notes->list[notes->count++], words, sizeof words);
    return bytes_printf(table->text, "no price (%zu)", at + 1);
}

static bool add_notes(struct table *table)
{
    bool ok =
        table->notes.count == 0 || bytes_printf(table->text, "\nWhy there is no price:\n\n");

    for (size_t i = 0; ok && i < table->notes.count; i++)
        ok = bytes_printf(table->text, "- (%zu) ", i + 1) &&
             markdown_add_plain(table->text, table->notes.list[i]) &&
             bytes_printf(table->text, "\n");
    return ok;
}

static bool add_price(struct table *table, const struct comparison_row *row)
{
    struct bytes *text = table->text;
    const struct row_price *price = &row->price;
    const struct price_at *at = price->at;

    if (!price->known)
        return bytes_printf(text, " | ") &&
               add_why_no_price(table, row->contender, price->why_not);
    return bytes_printf(text, " | $%.4g %s%s", price->dollars.value, price->kind,
                        price->factor < 1 ? " (discounted)" : "") &&
           (at->price.upfront_nanos == 0 ||
            bytes_printf(text, ", $%.2f of it at once for the term",
                         (double)at->price.upfront_nanos / 1e9));
}

/* Samples per dollar at one price kind, and the price. */
static bool add_side_words(struct table *table, const struct comparison_row *row,
                           const struct row_side *side)
{
    struct bytes *text = table->text;

    if (!side->price.known)
        return bytes_printf(text, " | ") &&
               add_why_no_price(table, row->contender, side->price.why_not);
    return add_with_interval(text, side->has_cost, &side->cost.samples_per_dollar) &&
           bytes_printf(text, " at $%.4g", side->price.dollars.value) &&
           (!(side->job.hours > 0) || bytes_printf(text, ", job $%.4g", side->job.dollars));
}

/* "7 d: $0.12 to $0.18, 3 % of the time above on demand; 30 d: ..." */
static bool add_history_words(struct bytes *text, const struct spot_history *history)
{
    const char *before = "";
    bool ok = bytes_printf(text, " | ");

    for (size_t i = 0; ok && history->known && i < SPOT_WINDOWS; i++) {
        const struct price_window *window = &history->windows[i];

        if (!window->known)
            continue;
        ok = bytes_printf(text, "%s%d d: $%.4g to $%.4g", before, spot_window_days[i],
                          window->low, window->high) &&
             (!history->has_limit ||
              bytes_printf(text, ", %.3g %% of the time above on demand", 100 * window->above));
        before = "; ";
    }
    return ok;
}

static bool asks_whether(const struct comparison_question *question)
{
    return question->deadline_h > 0 || question->budget > 0;
}

static bool asks_for_job(const struct comparison_question *question)
{
    return question->samples > 0 || question->epochs > 0 || question->job_seconds > 0 ||
           question->hourly_value > 0 || asks_whether(question);
}

/* Hours and dollars of the question's job, and the probability of meeting the question. */
static bool add_job(struct table *table, const struct row_job *job)
{
    struct bytes *text = table->text;
    bool ok = true;

    if (!asks_for_job(table->question))
        return true;
    if (job->hours > 0)
        ok = bytes_printf(text, " | %.4g", job->hours);
    else
        ok = bytes_printf(text, " | unknown");
    if (ok && job->hours > 0 && !isnan(job->dollars))
        ok = bytes_printf(text, " | $%.4g", job->dollars) &&
             (!(job->waiting_dollars > 0) ||
              bytes_printf(text, ", $%.4g with waiting", job->total_dollars));
    else if (ok)
        ok = bytes_printf(text, " | unknown");
    if (!ok || !asks_whether(table->question))
        return ok;
    return job->has_forecast ? bytes_printf(text, " | %.3f", job->probability)
                             : bytes_printf(text, " | unknown");
}

/* Why it has no rank, and which of its data is old. */
static bool add_remark(struct table *table, const struct comparison_row *row)
{
    struct bytes *text = table->text;
    bool by_price = !row->price.known && strcmp(row->why_no_rank, row->price.why_not) == 0;
    bool ok = bytes_printf(text, " | ");

    if (ok && row->why_no_rank[0])
        ok = by_price ? add_why_no_price(table, row->contender, row->why_no_rank)
                      : markdown_add_plain(text, row->why_no_rank);
    if (ok && row->is_stale)
        ok = bytes_printf(text, "%s", row->why_no_rank[0] ? "; " : "") &&
             markdown_add_plain(text, row->why_stale);
    return ok;
}

static bool add_line(struct table *table, size_t at)
{
    struct bytes *text = table->text;
    const struct ranking *ranking = table->ranking;
    const struct comparison_row *row = &ranking->rows[at];
    const struct row_side *spot = comparison_side(ranking, at, CHOOSE_SPOT);
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
           add_price(table, row) &&
           add_with_interval(text, row->has_cost, &row->cost.samples_per_dollar) &&
           add_job(table, &row->job) &&
           add_side_words(table, row, comparison_side(ranking, at, CHOOSE_ON_DEMAND)) &&
           add_side_words(table, row, spot) && add_history_words(text, &spot->history) &&
           bytes_printf(text, " | %s", row->is_on_front ? "yes" : "") &&
           add_sender_words(text, contender) && add_remark(table, row) &&
           bytes_printf(text, " |\n");
}

static bool add_pair(struct bytes *text, const char *key, const char *value)
{
    AUTO(bytes_free) struct bytes pair = {.limit = text->limit};

    return bytes_printf(&pair, "%s=%s", key, value) && markdown_add_code(text, pair.data);
}

/* The question, its filters without a match, and the decision. */
static bool add_head(struct bytes *text, const struct comparison_question *question,
                     const struct ranking *ranking)
{
    bool ok = bytes_printf(text, "**") && markdown_add_plain(text, question->workload) &&
              bytes_printf(text, "**, %s price%s", price_choice_names[question->kinds[0]],
                           question->reference ? ", reference " : "") &&
              markdown_add_plain(text, question->reference ? question->reference : "");

    for (int i = 0; ok && i < question->label_count; i++)
        ok = bytes_printf(text, "%s ", i == 0 ? ", only runs with" : " and") &&
             add_pair(text, question->labels[i].key, question->labels[i].value);
    if (ok && question->sender)
        ok = bytes_printf(text, ", only runs of ") && markdown_add_plain(text, question->sender);
    ok = ok && bytes_printf(text, "\n\n");
    for (size_t i = 0; ok && i < ranking->unmatched_count; i++)
        ok = add_pair(text, ranking->unmatched[i].parameter, ranking->unmatched[i].value) &&
             bytes_printf(text, " matches nothing: ") &&
             markdown_add_plain(text, ranking->unmatched[i].words) && bytes_printf(text, ".\n\n");
    if (ok && ranking->decision[0])
        ok = markdown_add_plain(text, ranking->decision) && bytes_printf(text, "\n\n");
    return ok;
}

/* The job's columns are written only if the question has a job. */
static bool add_columns(struct bytes *text, const struct comparison_question *question)
{
    bool job = asks_for_job(question), whether = asks_whether(question);

    return bytes_printf(text,
                        "| rank | instance type | engine | samples/s | $/h | samples/$ |%s%s "
                        "samples/$ on demand | samples/$ on spot | spot of 7, 30 and 90 days | "
                        "Pareto | senders | remark |\n",
                        job ? " job, hours | job, dollars |" : "",
                        whether ? " probability |" : "") &&
           bytes_printf(text, "|---|---|---|---|---|---|%s%s---|---|---|---|---|---|\n",
                        job ? "---|---|" : "", whether ? "---|" : "");
}

bool present_comparison_markdown(struct bytes *text, const struct comparison_question *question,
                                 const struct ranking *ranking)
{
    struct table table = {.text = text, .question = question, .ranking = ranking};
    size_t first = (size_t)question->offset, shown = 0;
    bool ok = add_head(text, question, ranking) && add_columns(text, question);

    for (size_t i = first; ok && i < ranking->count && shown < (size_t)question->limit;
         i++, shown++)
        ok = add_line(&table, i);
    return ok && add_notes(&table) &&
           bytes_printf(text,
                        "\nIntervals are 95 %%. A rank of 1 to 3 means that at most two rows are "
                        "better. %zu "
                        "more rows are not shown, %zu types have a price and no "
                        "measurement.\n",
                        ranking->filtered + ranking->count - shown, ranking->unmeasured_count);
}
