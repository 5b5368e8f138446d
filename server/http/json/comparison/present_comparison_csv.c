#include "server/http/json/comparison/present_comparison_csv.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "server/http/json/comparison/present_row.h"
#include "server/http/json/csv_cells.h"
#include "server/http/json/present_senders.h"

/* "branch=main;ticket=1": the same in all rows, so that tables of two branches can be put
 * together. */
static void write_csv_labels(struct json_writer *out, const struct member *row,
                             const void *object)
{
    const struct comparison_question *question =
        ((const struct comparison_view *)object)->question;
    AUTO(bytes_free) struct bytes cell = {.limit = out->bytes->limit};

    for (int i = 0; i < question->label_count && !out->failed; i++)
        out->failed = !bytes_printf(&cell, "%s%s=%s", i > 0 ? ";" : "", question->labels[i].key,
                                    question->labels[i].value);
    jsonw_text(out, row->name, cell.data);
}

static void write_senders(struct json_writer *out, const struct member *row, const void *object)
{
    const struct comparison_view *view = object;
    AUTO(bytes_free) struct bytes cell = {.limit = out->bytes->limit};

    out->failed = out->failed || !present_senders_line(&cell, view->row->contender);
    jsonw_text(out, row->name, text_or_null(cell.data));
}

/* A row, and what only a table has. */
static const struct member rows[] = {
    {MEMBER_ROWS(&comparison_row_members)},
    {MEMBER_WRITTEN("labels", MEMBER_TEXT, write_csv_labels)},
    {MEMBER_WRITTEN("senders_line", MEMBER_TEXT, write_senders)},
    {0},
};
static const struct members line_members = {.rows = rows};

#define SIDE(side)                                                                               \
    " kinds." side ".price.kind=" side "_kind"                                                   \
    " kinds." side ".price.price_per_hour=" side "_dollars_per_hour"                             \
    " kinds." side ".price.low=" side "_dollars_per_hour_low"                                    \
    " kinds." side ".price.high=" side "_dollars_per_hour_high"                                  \
    " kinds." side ".price.region=" side "_region kinds." side ".price.feed=" side "_feed"       \
    " kinds." side ".price.fetched_at=" side "_fetched_at"                                       \
    " kinds." side ".samples_per_dollar*=" side "_samples_per_dollar"                            \
    " kinds." side ".job_dollars*=" side "_job_dollars"                                          \
    " kinds." side ".why_no_price=" side "_why_no_price"
#define WINDOW_PART(days, part) " spot_history." days "." part "=spot_" days "_days_" part
#define WINDOW(days)                                                                             \
    WINDOW_PART(days, "known_days")                                                              \
    WINDOW_PART(days, "low")                                                                     \
    WINDOW_PART(days, "high")                                                                    \
    WINDOW_PART(days, "mean") WINDOW_PART(days, "share_above_on_demand")
static const char columns[] =
    "rank.low rank.high may_be_best instance_type provider cpu_model engine configuration "
    "provenance throughput*=samples_per_second throughput.level=level throughput.runs=runs "
    "throughput.vms=vms price.kind price.price_per_hour=dollars_per_hour price.region=region "
    "price.feed=feed samples_per_dollar* job.samples job.hours job.dollars "
    "to_reference.samples_per_dollar*=ratio pareto utility why_no_rank unit version stale" SIDE(
        "on_demand") SIDE("spot") WINDOW("7") WINDOW("30")
        WINDOW(
            "90") " labels senders_line=senders price.commitment.years=commitment_years "
                  "price.commitment.payment=commitment_payment "
                  "price.commitment.upfront=commitment_upfront_dollars tokens_per_second* "
                  "job.total_dollars job.prospect.probability=job_probability "
                  "job.prospect.hours_low=job_hours_low job.prospect.hours_high=job_hours_high";

bool present_comparison_csv(struct bytes *text, const struct comparison_question *question,
                            const struct ranking *ranking)
{
    size_t first = (size_t)question->offset;
    bool ok = csv_add_head(text, columns);

    for (size_t i = first; ok && i < ranking->count && i - first < (size_t)question->limit; i++)
        ok = csv_add_line(text, columns, &line_members,
                          &(struct comparison_view){question, ranking, &ranking->rows[i], NULL});
    return ok;
}
