#include "server/http/json/comparison/present_comparison.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "server/http/json/comparison/present_comparison_price.h"
#include "server/http/json/present_capacity.h"
#include "server/http/json/present_senders.h"
#include "server/http/json/present_unmatched.h"
#include "server/prices/price_json.h"

#include <math.h>

#define ROWS_NAMED 20 /* that a row cannot be told apart from; the rest is counted */

/* What a number may be generalised to, in words. */
static const char *caveat(const struct contender *contender)
{
    if (contender->is_published)
        return "published by others, no interval";
    switch (contender->standing.level) {
    case STANDING_VMS:
        return "over machines of the type";
    case STANDING_NONE:
        return "no valid run";
    default:
        return contender->standing.vms == 2 ? "two VMs: not generalisable"
                                            : "one VM: not generalisable";
    }
}

void present_row_throughput(struct json_writer *out, const struct comparison_row *row)
{
    const struct standing *standing = &row->contender->standing;

    if (standing->level == STANDING_NONE) {
        jsonw_null(out, "throughput");
        return;
    }
    jsonw_open(out, "throughput", '{');
    jsonw_number(out, "value", row->speed.value);
    jsonw_number(out, "low", row->speed.has_interval ? row->speed.low : NAN);
    jsonw_number(out, "high", row->speed.has_interval ? row->speed.high : NAN);
    jsonw_text(out, "level", standing_level_names[standing->level]);
    jsonw_number(out, "spread_percent", standing->spread > 0 ? standing->spread * 100 : NAN);
    jsonw_number(out, "run_spread_percent",
                 standing->run_spread > 0 ? standing->run_spread * 100 : NAN);
    jsonw_number(out, "machine_spread_percent",
                 standing->machine_spread > 0 ? standing->machine_spread * 100 : NAN);
    jsonw_integer(out, "runs", standing->runs);
    jsonw_integer(out, "vms", standing->vms);
    jsonw_integer(out, "imported", standing->imported);
    jsonw_integer(out, "warned", standing->warned);
    jsonw_integer(out, "too_short", standing->too_short);
    jsonw_bool(out, "generalisable", standing->level == STANDING_VMS);
    jsonw_text(out, "words", caveat(row->contender));
    jsonw_close(out, '}');
}

static void present_published(struct json_writer *out, const struct contender *contender)
{
    const struct published *published = &contender->published;

    if (!contender->is_published) {
        jsonw_null(out, "published");
        return;
    }
    jsonw_open(out, "published", '{');
    jsonw_text(out, "source", published->source);
    jsonw_text(out, "note", text_or_null(published->note));
    jsonw_bool(out, "derived", published->derived);
    jsonw_time(out, "measured_at", published->measured_us);
    jsonw_close(out, '}');
}

static void present_interruptions(struct json_writer *out, const struct row_job *job)
{
    if (isnan(job->interruption_share)) {
        jsonw_null(out, "interruptions");
        return;
    }
    jsonw_open(out, "interruptions", '{');
    jsonw_number(out, "percent_a_month", job->interruption_share * 100);
    jsonw_number(out, "checkpoint_every_hours", job->checkpointing.interval_hours);
    jsonw_number(out, "wasted_percent", job->checkpointing.waste * 100);
    jsonw_text(out, "words",
               "a rough rate: interruptions are not memoryless, and not getting the "
               "machine at all costs more than they do");
    jsonw_close(out, '}');
}

static void present_forecast(struct json_writer *out, const struct row_job *job)
{
    if (!job->has_forecast) {
        jsonw_null(out, "prospect");
        return;
    }
    jsonw_open(out, "prospect", '{');
    jsonw_number(out, "probability", job->probability);
    jsonw_number(out, "hours_low", job->hours_low);
    jsonw_number(out, "hours_high", job->hours_high);
    jsonw_integer(out, "draws", FORECAST_DRAWS);
    if (job->machines > 0) {
        jsonw_open(out, "next_machine", '{');
        jsonw_integer(out, "machines", job->machines);
        jsonw_integer(out, "processor_models", job->models);
        jsonw_close(out, '}');
    } else {
        jsonw_null(out, "next_machine");
    }
    jsonw_close(out, '}');
}

static void present_job(struct json_writer *out, const struct comparison_row *row)
{
    const struct row_job *job = &row->job;

    if (!(job->hours > 0)) {
        jsonw_null(out, "job");
        return;
    }
    jsonw_open(out, "job", '{');
    jsonw_number(out, "samples", job->samples);
    jsonw_number(out, "hours", job->hours);
    jsonw_number(out, "charged_seconds", job->charged_hours * 3600);
    jsonw_text(out, "billing",
               job->rule ? job->rule->words
                         : "charged as it takes: no job was named, or no rule is known");
    jsonw_number(out, "dollars", price_exact(job->dollars));
    jsonw_number(out, "waiting_dollars", price_exact(job->waiting_dollars));
    jsonw_number(out, "total_dollars", price_exact(job->total_dollars));
    present_interruptions(out, job);
    present_forecast(out, job);
    if (job->instances > 0) {
        jsonw_open(out, "in_parallel", '{');
        jsonw_integer(out, "instances", job->instances);
        jsonw_text(out, "words", "ideal scaling, upper bound of what so many can do");
        jsonw_close(out, '}');
    } else {
        jsonw_null(out, "in_parallel");
    }
    jsonw_close(out, '}');
}

static void present_peak(struct json_writer *out, const struct comparison_row *row)
{
    char words[160];

    if (!row->has_peak) {
        jsonw_null(out, "utilisation");
        return;
    }
    snprintf(words, sizeof words,
             "estimate: %.0f cores at %.2f GHz, %.0f operations a cycle each, three times the "
             "forward pass",
             row->contender->newest.threads, row->contender->newest.hertz / 1e9,
             row->peak.operations_a_cycle);
    jsonw_open(out, "utilisation", '{');
    jsonw_number(out, "achieved_tflops", row->peak.achieved_tflops);
    jsonw_number(out, "peak_tflops", row->peak.peak_tflops);
    jsonw_number(out, "share", row->peak.share);
    jsonw_text(out, "words", words);
    jsonw_close(out, '}');
}

static void present_ratio(struct json_writer *out, const char *key, const struct ratio *ratio,
                          double margin)
{
    if (isnan(ratio->value)) {
        jsonw_null(out, key);
        return;
    }
    jsonw_open(out, key, '{');
    jsonw_number(out, "value", ratio->value);
    jsonw_number(out, "low", ratio->known ? ratio->low : NAN);
    jsonw_number(out, "high", ratio->known ? ratio->high : NAN);
    jsonw_text(out, "verdict",
               ratio->known ? compare_name(compare_judge(ratio, margin)) : "no_interval");
    jsonw_close(out, '}');
}

static void present_comparison_to(struct json_writer *out,
                                  const struct comparison_question *question,
                                  const struct comparison_row *row)
{
    double margin = question->margin_percent / 100;

    if (!question->reference || isnan(row->speed_ratio.value)) {
        jsonw_null(out, "to_reference");
        return;
    }
    jsonw_open(out, "to_reference", '{');
    present_ratio(out, "samples_per_dollar", &row->ratio, margin);
    present_ratio(out, "throughput", &row->speed_ratio, margin);
    jsonw_number(out, "relative_cost", 1 / row->ratio.value);
    jsonw_bool(out, "mixed_kinds", row->mixed_kinds);
    jsonw_number(out, "break_even_samples_per_second", row->break_even_speed);
    jsonw_number(out, "break_even_price_per_hour", row->break_even_price);
    jsonw_close(out, '}');
}

const char *comparison_provenance(const struct contender *contender)
{
    const struct standing *standing = &contender->standing;

    if (contender->is_published)
        return "published";
    return standing->runs > 0 && standing->imported == standing->runs ? "imported" : "measured";
}

/* What other versions of the engine, its library or its plan came to, the newest first. */
static void present_older(struct json_writer *out, const struct contender *contender)
{
    jsonw_open(out, "other_versions", '[');
    for (size_t i = 0; i < contender->older_count; i++) {
        const struct standing *standing = &contender->older[i].standing;
        const struct range *interval = &standing->interval;

        jsonw_open(out, NULL, '{');
        jsonw_text(out, "version", text_or_null(contender->older[i].version));
        jsonw_number(out, "samples_per_second", standing->value);
        jsonw_number(out, "low", interval->known ? interval->low : NAN);
        jsonw_number(out, "high", interval->known ? interval->high : NAN);
        jsonw_text(out, "level", standing_level_names[standing->level]);
        jsonw_integer(out, "runs", standing->runs);
        jsonw_integer(out, "vms", standing->vms);
        jsonw_time(out, "measured_at", standing->newest_us);
        jsonw_close(out, '}');
    }
    jsonw_close(out, ']');
}

static void present_who(struct json_writer *out, const struct contender *contender)
{
    jsonw_text(out, "id", contender->id);
    jsonw_text(out, "instance_type", text_or_null(contender->instance));
    jsonw_text(out, "provider", text_or_null(contender->provider));
    jsonw_text(out, "stratum", text_or_null(contender->stratum));
    jsonw_text(out, "cpu_model", text_or_null(contender->newest.cpu_model));
    jsonw_text(out, "engine", contender->engine);
    jsonw_raw(out, "configuration", contender->configuration);
    jsonw_text(out, "isa", text_or_null(contender->newest.isa));
    jsonw_text(out, "software", text_or_null(contender->newest.software));
    jsonw_text(out, "version", text_or_null(contender->version));
    present_older(out, contender);
    jsonw_text(out, "provenance", comparison_provenance(contender));
    present_senders(out, contender);
    present_published(out, contender);
}

/* The ranks between which a row lies, and the rows that it cannot be told apart from. */
static void present_rank(struct json_writer *out, const struct ranking *ranking,
                         const struct comparison_row *row)
{
    size_t at = (size_t)(row - ranking->rows), tied = row->rank.high - row->rank.low, named = 0;

    if (row->rank.low == 0) {
        jsonw_null(out, "rank");
        jsonw_bool(out, "may_be_best", false);
        jsonw_null(out, "cannot_be_told_apart_from");
        return;
    }
    jsonw_open(out, "rank", '{');
    jsonw_integer(out, "low", (long long)row->rank.low);
    jsonw_integer(out, "high", (long long)row->rank.high);
    jsonw_close(out, '}');
    jsonw_bool(out, "may_be_best", row->rank.may_be_best);
    jsonw_open(out, "cannot_be_told_apart_from", '{');
    jsonw_open(out, "rows", '[');
    for (size_t i = 0; i < ranking->ranked && named < tied && named < ROWS_NAMED; i++) {
        if (i == at || rank_verdict(&ranking->intervals, at, i) != COMPARE_TIED)
            continue;
        jsonw_text(out, NULL, ranking->rows[i].contender->id);
        named++;
    }
    jsonw_close(out, ']');
    jsonw_integer(out, "count", (long long)tied);
    jsonw_close(out, '}');
}

bool comparison_tokens(const struct comparison_question *question,
                       const struct comparison_row *row, struct amount *ret_speed)
{
    const double tokens = (double)run_spec_tokens(question->workload);
    const struct contender *contender = row->contender;

    if (contender->standing.level == STANDING_NONE || !(tokens > 0) ||
        (contender->is_published && strcmp(contender->published.unit, "sample") != 0))
        return false;
    *ret_speed = row->speed;
    ret_speed->value *= tokens;
    ret_speed->low *= tokens;
    ret_speed->high *= tokens;
    return true;
}

static void present_tokens(struct json_writer *out, const struct comparison_question *question,
                           const struct comparison_row *row)
{
    struct amount speed;

    present_interval(out, "tokens_per_second",
                     comparison_tokens(question, row, &speed) ? &speed : NULL);
}

static void present_row(struct json_writer *out, const struct comparison_question *question,
                        const struct ranking *ranking, const struct comparison_row *row)
{
    const struct contender *contender = row->contender;

    jsonw_open(out, NULL, '{');
    present_who(out, contender);
    present_rank(out, ranking, row);
    jsonw_text(out, "why_no_rank", text_or_null(row->why_no_rank));
    present_row_throughput(out, row);
    present_tokens(out, question, row);
    jsonw_integer(out, "invalid_runs", contender->standing.invalid);
    jsonw_time(out, "measured_at", contender->standing.newest_us);
    jsonw_text(out, "newest_run", text_or_null(contender->newest.run));
    jsonw_text(out, "stale", row->is_stale ? row->why_stale : NULL);
    present_row_price(out, &row->price);
    present_prices_per_hour(out, row->offer);
    members_write(out, "capacity", &row_capacity_members, row->capacity);
    present_row_cost(out, row);
    present_sides(out, ranking, row);
    present_job(out, row);
    jsonw_bool(out, "pareto", row->is_on_front);
    present_comparison_to(out, question, row);
    jsonw_number(out, "utility", row->utility);
    present_peak(out, row);
    jsonw_close(out, '}');
}

/* The page of rows that was asked for. */
static void present_rows(struct json_writer *out, const struct comparison_question *question,
                         const struct ranking *ranking)
{
    size_t first = (size_t)question->offset, shown = 0;

    jsonw_open(out, "rows", '[');
    out->only = question->fields.names;
    out->only_depth = out->depth + 1;
    for (size_t i = first; i < ranking->count && shown < (size_t)question->limit; i++, shown++)
        present_row(out, question, ranking, &ranking->rows[i]);
    out->only = NULL;
    jsonw_close(out, ']');
    jsonw_open(out, "hidden", '{');
    jsonw_integer(out, "by_filters", (long long)ranking->filtered);
    jsonw_integer(out, "by_page", (long long)(ranking->count - shown));
    jsonw_close(out, '}');
}

static void present_unmeasured(struct json_writer *out,
                               const struct comparison_question *question,
                               const struct ranking *ranking)
{
    size_t limit = (size_t)question->limit;

    jsonw_open(out, "unmeasured", '{');
    jsonw_integer(out, "count", (long long)ranking->unmeasured_count);
    jsonw_text(out, "reason",
               question->label_count > 0 ? "no measurement of this workload with these labels"
               : question->sender        ? "no measurement of this workload by this sender"
                                         : "no measurement of this workload");
    jsonw_open(out, "instances", '[');
    for (size_t i = 0; i < ranking->unmeasured_count && i < limit; i++) {
        const struct offer *offer = ranking->unmeasured[i];

        jsonw_open(out, NULL, '{');
        jsonw_text(out, "instance_type", text_or_null(offer->instance));
        jsonw_text(out, "provider", text_or_null(offer->provider));
        present_prices_per_hour(out, offer);
        jsonw_close(out, '}');
    }
    jsonw_close(out, ']');
    jsonw_close(out, '}');
}

static void present_labels(struct json_writer *out, const struct comparison_question *question,
                           const struct ranking *ranking)
{
    jsonw_open(out, "labels", '[');
    for (int i = 0; i < question->label_count; i++) {
        char text[LABEL_KEY_MAX + LABEL_VALUE_MAX + 2];

        snprintf(text, sizeof text, "%s=%s", question->labels[i].key, question->labels[i].value);
        jsonw_text(out, NULL, text);
    }
    jsonw_close(out, ']');
    jsonw_text(out, "sender", question->sender);
    jsonw_number(out, "newest_runs", ranking->subset_cut ? STANDING_SUBSET_RUNS_MAX : NAN);
}

static void present_question(struct json_writer *out, const struct comparison_question *question,
                             const struct ranking *ranking)
{
    jsonw_open(out, "question", '{');
    jsonw_text(out, "workload", question->workload);
    jsonw_text(out, "configuration", question->configuration);
    present_labels(out, question, ranking);
    jsonw_open(out, "price", '[');
    for (size_t i = 0; i < question->kind_count; i++)
        jsonw_text(out, NULL, price_choice_names[question->kinds[i]]);
    jsonw_close(out, ']');
    jsonw_open(out, "regions", '[');
    for (const char *const *region = question->where.regions; *region; region++)
        jsonw_text(out, NULL, *region);
    jsonw_close(out, ']');
    jsonw_bool(out, "priced_where_measured", question->where.at_home);
    jsonw_text(out, "zone", question->where.zone);
    jsonw_time(out, "price_at", question->where.is_now ? 0 : question->where.at_us);
    jsonw_time(out, "deadline", question->deadline_us);
    jsonw_number(out, "deadline_h", question->deadline_h > 0 ? question->deadline_h : NAN);
    jsonw_text(out, "sort", order_names[question->order]);
    jsonw_text(out, "utility", question->utility_text);
    jsonw_text(out, "reference", question->reference);
    jsonw_number(out, "margin_percent", question->margin_percent);
    jsonw_number(out, "assumed_vm_spread_percent", question->vm_spread_percent);
    jsonw_close(out, '}');
}

/* A row that the decision names without choosing it. */
static void present_named(struct json_writer *out, const char *key,
                          const struct comparison_row *row)
{
    if (!row) {
        jsonw_null(out, key);
        return;
    }
    jsonw_open(out, key, '{');
    jsonw_text(out, "row", row->contender->id);
    jsonw_text(out, "instance_type", text_or_null(row->contender->instance));
    jsonw_number(out, "hours", row->job.hours);
    jsonw_number(out, "total_dollars", price_exact(row->job.total_dollars));
    jsonw_number(out, "probability", row->job.has_forecast ? row->job.probability : NAN);
    jsonw_close(out, '}');
}

static void present_decision(struct json_writer *out, const struct ranking *ranking)
{
    if (!ranking->decision[0]) {
        jsonw_null(out, "decision");
        return;
    }
    jsonw_open(out, "decision", '{');
    jsonw_text(out, "row", ranking->answer ? ranking->answer->contender->id : NULL);
    jsonw_text(out, "instance_type",
               ranking->answer ? text_or_null(ranking->answer->contender->instance) : NULL);
    present_named(out, "nearest", ranking->nearest);
    present_named(out, "published", ranking->published);
    jsonw_text(out, "words", ranking->decision);
    jsonw_close(out, '}');
}

void present_comparison(struct json_writer *out, const struct comparison_question *question,
                        const struct ranking *ranking)
{
    jsonw_open(out, NULL, '{');
    present_question(out, question, ranking);
    present_unmatched(out, ranking->unmatched, ranking->unmatched_count);
    present_decision(out, ranking);
    present_rows(out, question, ranking);
    jsonw_integer(out, "ranked", (long long)ranking->ranked);
    present_unmeasured(out, question, ranking);
    jsonw_text(
        out, "words",
        "throughput of training, not convergence; ranks hold for this workload alone; with 95 % "
        "the ranks of all rows lie between their lows and highs; the verdict against the "
        "reference is about that pair alone");
    jsonw_close(out, '}');
}
