/* Tested by tests/api/test_comparison.py. */
#include "server/http/json/comparison/comparison_metrics.h"

#include "answers/compare/comparison.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "server/base/metrics.h"

/* Label values must escape these. */
static bool add_label(struct bytes *text, const char *name, const char *value)
{
    bool ok = bytes_printf(text, "%s=\"", name);

    for (const char *c = value; ok && *c; c++)
        ok = bytes_printf(text, *c == '\\' || *c == '"' ? "\\%c" : *c == '\n' ? " " : "%c", *c);
    return ok && bytes_add(text, "\"", 1);
}

static bool add_labels(struct bytes *text, const struct comparison_row *row)
{
    const struct contender *contender = row->contender;

    return bytes_add(text, "{", 1) && add_label(text, "row", contender->id) &&
           add_label(text, ",workload", contender->workload) &&
           add_label(text, ",instance_type", contender->instance) &&
           add_label(text, ",provider", contender->provider) &&
           add_label(text, ",engine", contender->engine) &&
           add_label(text, ",price", row->price.kind) && bytes_add(text, "} ", 2);
}

/* The value, or an end of its interval. */
static const struct gauge {
    const char *name, *help;
    size_t offset;
} gauges[] = {
    {"pennyworth_samples_per_dollar", "What a dollar of compute trains.",
     offsetof(struct amount, value)},
    {"pennyworth_samples_per_dollar_low", "The lower end of its 95 % interval.",
     offsetof(struct amount, low)},
    {"pennyworth_samples_per_dollar_high", "The upper end of its 95 % interval.",
     offsetof(struct amount, high)},
};

static bool add_row(struct bytes *text, const struct gauge *gauge,
                    const struct comparison_row *row)
{
    const struct amount *amount = &row->cost.samples_per_dollar;
    double value;

    if (!row->has_cost || (gauge->offset > 0 && !amount->has_interval))
        return true;
    memcpy(&value, (const char *)amount + gauge->offset, sizeof value);
    return bytes_printf(text, "%s", gauge->name) && add_labels(text, row) &&
           bytes_printf(text, "%.10g\n", value);
}

/* Rows of one workload, in three gauges. */
struct part {
    const struct comparison_loan *loan;
    const struct discount_list *discounts;
    struct comparison_question question;
    struct bytes *texts; /* one per gauge, because all lines of a gauge must be adjacent */
};

static bool add_workload(struct part *part, const char *workload, struct error *err)
{
    AUTO(comparison_clear) struct ranking ranking = {0};
    const struct comparison_parts parts = {.question = &part->question,
                                           .standings = part->loan->standings,
                                           .offers = part->loan->offers,
                                           .homes = part->loan->homes,
                                           .discounts = part->discounts};

    part->question.workload = workload;
    if (!comparison_make(&parts, &ranking, err))
        return false;
    for (size_t gauge = 0; gauge < COUNT(gauges); gauge++)
        for (size_t i = 0; i < ranking.count; i++)
            if (!add_row(&part->texts[gauge], &gauges[gauge], &ranking.rows[i]))
                return bytes_too_long(&part->texts[gauge], gauges[gauge].name, err);
    return true;
}

static bool is_first_of_its_workload(const struct standings *standings, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (strcmp(standings->list[i].workload, standings->list[at].workload) == 0)
            return false;
    return true;
}

static bool add_all(struct part *part, struct error *err)
{
    const struct standings *standings = part->loan->standings;
    size_t found = 0;

    for (size_t i = 0; i < standings->count && found < 32; i++) {
        if (!is_first_of_its_workload(standings, i))
            continue;
        found++;
        if (!add_workload(part, standings->list[i].workload, err))
            return false;
    }
    return true;
}

static bool put_together(const struct bytes *texts, struct bytes *text)
{
    bool ok = true;

    for (size_t i = 0; ok && i < COUNT(gauges); i++)
        ok = metric_head(text, gauges[i].name, "gauge", gauges[i].help) &&
             bytes_add(text, texts[i].data ? texts[i].data : "", texts[i].used);
    return ok;
}

bool comparison_metrics_write(struct db *db, struct comparison_cache *cache,
                              const struct identity *here, struct bytes *text, struct error *err)
{
    AUTO(freep) struct discount_list *discounts = xcalloc(1, sizeof *discounts);
    AUTO(freep) struct query *query = xcalloc(1, sizeof *query); /* empty: no parameters */
    AUTO(comparison_cache_return) struct comparison_loan loan = {0};
    struct bytes texts[COUNT(gauges)];
    struct part part = {.loan = &loan, .discounts = discounts, .texts = texts};
    long long now_us = clock_calendar_us();
    bool ok;

    for (size_t i = 0; i < COUNT(gauges); i++)
        texts[i] = (struct bytes){.limit = 16 * 1024 * 1024};
    ok = comparison_question_read(query, here, now_us, &part.question, err) &&
         discounts_each(db, now_us, discount_list_add, discounts, err) &&
         comparison_cache_borrow(cache, db, &part.question.where, &loan, err) &&
         add_all(&part, err) &&
         (put_together(texts, text) || bytes_too_long(text, "the answer", err));
    for (size_t i = 0; i < COUNT(gauges); i++)
        bytes_free(&texts[i]);
    return ok;
}
