#include "server/http/json/present_comparison.h"

#include "common/cleanup.h"
#include "pricing/feeds/source.h"

#include <math.h>

static const char *text_or_null(const char *text)
{
    return text && *text ? text : NULL;
}

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

static void present_throughput(struct out *out, const struct comparison_row *row)
{
    const struct standing *standing = &row->contender->standing;

    if (standing->level == STANDING_NONE) {
        out_null(out, "throughput");
        return;
    }
    out_open(out, "throughput", '{');
    out_number(out, "value", row->speed.value);
    out_number(out, "low", row->speed.has_interval ? row->speed.low : NAN);
    out_number(out, "high", row->speed.has_interval ? row->speed.high : NAN);
    out_text(out, "level", standing_level_names[standing->level]);
    out_number(out, "spread_percent", standing->spread > 0 ? standing->spread * 100 : NAN);
    out_integer(out, "runs", standing->runs);
    out_integer(out, "vms", standing->vms);
    out_integer(out, "imported", standing->imported);
    out_integer(out, "warned", standing->warned);
    out_bool(out, "generalisable", standing->level == STANDING_VMS);
    out_text(out, "words", caveat(row->contender));
    out_close(out, '}');
}

static void present_published(struct out *out, const struct contender *contender)
{
    const struct published *published = &contender->published;

    if (!contender->is_published) {
        out_null(out, "published");
        return;
    }
    out_open(out, "published", '{');
    out_text(out, "source", published->source);
    out_text(out, "note", text_or_null(published->note));
    out_bool(out, "derived", published->derived);
    out_time(out, "measured_at", published->measured_us);
    out_close(out, '}');
}

static void present_origin(struct out *out, const struct quote *quote)
{
    const struct source *source = source_find(quote->feed);

    out_text(out, "region", text_or_null(quote->region));
    out_text(out, "zone", text_or_null(quote->zone));
    out_text(out, "feed", quote->feed);
    out_text(out, "label",
             source                ? source->title
             : quote->is_published ? "published with a figure"
                                   : "given by a person");
    out_bool(out, "third_party", quote->third_party);
    out_time(out, "valid_from", quote->since_us);
    out_time(out, "source_time", quote->source_us);
    out_time(out, "fetched_at", quote->fetched_us);
    out_text(out, "freshness",
             quote->is_published ? "published" : freshness_names[quote->freshness]);
}

static void present_no_origin(struct out *out, const struct row_price *price)
{
    bool paid = !price->is_given;

    out_null(out, "region");
    out_null(out, "zone");
    out_text(out, "feed", paid ? "run" : "question");
    out_text(out, "label", paid ? "as its newest run knew it" : "given in the question");
    out_bool(out, "third_party", false);
    out_null(out, "valid_from");
    out_null(out, "source_time");
    out_null(out, "fetched_at");
    out_text(out, "freshness", freshness_names[price->freshness]);
}

static void present_row_price(struct out *out, const struct row_price *price)
{
    if (!price->known) {
        out_null(out, "price");
        out_text(out, "why_no_price", price->why_not);
        return;
    }
    out_open(out, "price", '{');
    out_text(out, "kind", price->kind);
    out_text(out, "choice", price_choice_names[price->choice]);
    out_number(out, "price_per_hour", price->dollars.value);
    out_number(out, "low", price->dollars.has_interval ? price->dollars.low : NAN);
    out_number(out, "high", price->dollars.has_interval ? price->dollars.high : NAN);
    out_number(out, "list_price_per_hour", price->list);
    out_number(out, "factor", price->factor);
    out_text(out, "factor_note", text_or_null(price->factor_note));
    if (price->quote)
        present_origin(out, price->quote);
    else
        present_no_origin(out, price);
    out_close(out, '}');
    out_null(out, "why_no_price");
}

static void present_quote(struct out *out, const char *key, const struct quote *quote)
{
    out_number(out, key, quote && quote->known ? (double)quote->nanos / 1e9 : NAN);
}

/* Dollars an hour of every kind, as the feeds have them. */
static void present_kinds(struct out *out, const struct offer *offer)
{
    const struct quote *on_demand = offer ? &offer->on_demand : NULL;
    const struct quote *spot = offer ? &offer->spot : NULL;
    bool both = offer && on_demand->known && spot->known;

    out_open(out, "prices_per_hour", '{');
    present_quote(out, "on_demand", on_demand);
    present_quote(out, "spot", spot);
    present_quote(out, "typed", offer ? &offer->typed : NULL);
    out_number(out, "spot_discount_percent",
               both ? 100 * (1 - (double)spot->nanos / (double)on_demand->nanos) : NAN);
    out_close(out, '}');
    out_text(out, "interruption_band", text_or_null(offer ? offer->band : ""));
}

static void present_cost(struct out *out, const struct comparison_row *row)
{
    bool per_million = row->has_cost && !(row->contender->is_published &&
                                          strcmp(row->contender->published.unit, "job") == 0);

    out_text(out, "unit",
             row->contender->is_published ? row->contender->published.unit : "sample");
    present_interval(out, "samples_per_dollar",
                     row->has_cost ? &row->cost.samples_per_dollar : NULL);
    present_interval(out, "dollars_per_million_samples",
                     per_million ? &row->cost.dollars_per_million : NULL);
    present_interval(out, "hours_per_million_samples",
                     per_million ? &row->cost.hours_per_million : NULL);
    out_text(out, "interval_from", row->has_cost ? cost_part_names[row->dominates] : NULL);
}

static void present_interruptions(struct out *out, const struct row_job *job)
{
    if (isnan(job->interruption_share)) {
        out_null(out, "interruptions");
        return;
    }
    out_open(out, "interruptions", '{');
    out_number(out, "percent_a_month", job->interruption_share * 100);
    out_number(out, "checkpoint_every_hours", job->checkpointing.interval_hours);
    out_number(out, "wasted_percent", job->checkpointing.waste * 100);
    out_text(out, "words",
             "a rough rate: interruptions are not memoryless, and not getting the "
             "machine at all costs more than they do");
    out_close(out, '}');
}

static void present_prospect(struct out *out, const struct row_job *job)
{
    if (!job->has_prospect) {
        out_null(out, "prospect");
        return;
    }
    out_open(out, "prospect", '{');
    out_number(out, "probability", job->probability);
    out_number(out, "hours_low", job->hours_low);
    out_number(out, "hours_high", job->hours_high);
    out_integer(out, "draws", PROSPECT_DRAWS);
    out_close(out, '}');
}

static void present_job(struct out *out, const struct comparison_row *row)
{
    const struct row_job *job = &row->job;

    if (!(job->hours > 0)) {
        out_null(out, "job");
        return;
    }
    out_open(out, "job", '{');
    out_number(out, "samples", job->samples);
    out_number(out, "hours", job->hours);
    out_number(out, "charged_seconds", job->charged_hours * 3600);
    out_text(out, "billing",
             job->rule ? job->rule->words
                       : "charged as it takes: no job was named, or no rule is known");
    out_number(out, "dollars", job->dollars);
    out_number(out, "waiting_dollars", job->waiting_dollars);
    out_number(out, "total_dollars", job->total_dollars);
    present_interruptions(out, job);
    present_prospect(out, job);
    if (job->instances > 0) {
        out_open(out, "in_parallel", '{');
        out_integer(out, "instances", job->instances);
        out_text(out, "words", "ideal scaling, upper bound of what so many can do");
        out_close(out, '}');
    } else {
        out_null(out, "in_parallel");
    }
    out_close(out, '}');
}

static void present_peak(struct out *out, const struct comparison_row *row)
{
    char words[160];

    if (!row->has_peak) {
        out_null(out, "utilisation");
        return;
    }
    snprintf(words, sizeof words,
             "estimate: %.0f cores at %.2f GHz, %.0f operations a cycle each, three times the "
             "forward pass",
             row->contender->newest.threads, row->contender->newest.hertz / 1e9,
             row->peak.operations_a_cycle);
    out_open(out, "utilisation", '{');
    out_number(out, "achieved_tflops", row->peak.achieved_tflops);
    out_number(out, "peak_tflops", row->peak.peak_tflops);
    out_number(out, "share", row->peak.share);
    out_text(out, "words", words);
    out_close(out, '}');
}

static void present_ratio(struct out *out, const char *key, const struct ratio *ratio,
                          double margin)
{
    if (isnan(ratio->value)) {
        out_null(out, key);
        return;
    }
    out_open(out, key, '{');
    out_number(out, "value", ratio->value);
    out_number(out, "low", ratio->known ? ratio->low : NAN);
    out_number(out, "high", ratio->known ? ratio->high : NAN);
    out_text(out, "verdict",
             ratio->known ? compare_name(compare_judge(ratio, margin)) : "no_interval");
    out_close(out, '}');
}

static void present_comparison_to(struct out *out, const struct comparison_question *question,
                                  const struct comparison_row *row)
{
    double margin = question->margin_percent / 100;

    if (!question->reference || isnan(row->speed_ratio.value)) {
        out_null(out, "to_reference");
        return;
    }
    out_open(out, "to_reference", '{');
    present_ratio(out, "samples_per_dollar", &row->ratio, margin);
    present_ratio(out, "throughput", &row->speed_ratio, margin);
    out_number(out, "relative_cost", 1 / row->ratio.value);
    out_bool(out, "mixed_kinds", row->mixed_kinds);
    out_number(out, "break_even_samples_per_second", row->break_even_speed);
    out_number(out, "break_even_price_per_hour", row->break_even_price);
    out_close(out, '}');
}

const char *comparison_provenance(const struct contender *contender)
{
    const struct standing *standing = &contender->standing;

    if (contender->is_published)
        return "published";
    return standing->runs > 0 && standing->imported == standing->runs ? "imported" : "measured";
}

static void present_who(struct out *out, const struct contender *contender)
{
    out_text(out, "id", contender->id);
    out_text(out, "instance", text_or_null(contender->instance));
    out_text(out, "provider", text_or_null(contender->provider));
    out_text(out, "stratum", text_or_null(contender->stratum));
    out_text(out, "cpu_model", text_or_null(contender->newest.cpu_model));
    out_text(out, "engine", contender->engine);
    out_raw(out, "configuration", contender->configuration);
    out_text(out, "isa", text_or_null(contender->newest.isa));
    out_text(out, "software", text_or_null(contender->newest.software));
    out_text(out, "provenance", comparison_provenance(contender));
    present_published(out, contender);
}

static void present_row(struct out *out, const struct comparison_question *question,
                        const struct comparison_row *row)
{
    const struct contender *contender = row->contender;

    out_open(out, NULL, '{');
    present_who(out, contender);
    if (row->rank > 0)
        out_integer(out, "rank", row->rank);
    else
        out_null(out, "rank");
    out_bool(out, "tied", row->is_tied);
    out_text(out, "why_no_rank", text_or_null(row->why_no_rank));
    present_throughput(out, row);
    out_integer(out, "invalid_runs", contender->standing.invalid);
    out_time(out, "measured_at", contender->standing.newest_us);
    out_text(out, "newest_run", text_or_null(contender->newest.run));
    out_text(out, "stale", row->is_stale ? row->why_stale : NULL);
    present_row_price(out, &row->price);
    present_kinds(out, row->offer);
    present_cost(out, row);
    present_job(out, row);
    out_bool(out, "pareto", row->is_on_front);
    present_comparison_to(out, question, row);
    out_number(out, "utility", row->utility);
    present_peak(out, row);
    out_close(out, '}');
}

/* The page of rows that was asked for. */
static void present_rows(struct out *out, const struct comparison_question *question,
                         const struct ranking *ranking)
{
    size_t first = (size_t)question->offset, shown = 0;

    out_open(out, "rows", '[');
    for (size_t i = first; i < ranking->count && shown < (size_t)question->limit; i++, shown++)
        present_row(out, question, &ranking->rows[i]);
    out_close(out, ']');
    out_open(out, "hidden", '{');
    out_integer(out, "by_filters", (long long)ranking->filtered);
    out_integer(out, "by_page", (long long)(ranking->count - shown));
    out_close(out, '}');
}

static void present_unmeasured(struct out *out, const struct comparison_question *question,
                               const struct ranking *ranking)
{
    size_t limit = (size_t)question->limit;

    out_open(out, "unmeasured", '{');
    out_integer(out, "count", (long long)ranking->unmeasured_count);
    out_text(out, "reason", "no measurement of this workload");
    out_open(out, "instances", '[');
    for (size_t i = 0; i < ranking->unmeasured_count && i < limit; i++) {
        const struct offer *offer = ranking->unmeasured[i];

        out_open(out, NULL, '{');
        out_text(out, "instance", text_or_null(offer->instance));
        out_text(out, "provider", text_or_null(offer->provider));
        present_kinds(out, offer);
        out_close(out, '}');
    }
    out_close(out, ']');
    out_close(out, '}');
}

static void present_question(struct out *out, const struct comparison_question *question)
{
    out_open(out, "question", '{');
    out_text(out, "workload", question->workload);
    out_text(out, "configuration", question->configuration);
    out_open(out, "price", '[');
    for (size_t i = 0; i < question->kind_count; i++)
        out_text(out, NULL, price_choice_names[question->kinds[i]]);
    out_close(out, ']');
    out_open(out, "regions", '[');
    for (const char *const *region = question->where.regions; *region; region++)
        out_text(out, NULL, *region);
    out_close(out, ']');
    out_text(out, "zone", question->where.zone);
    out_time(out, "price_at", question->where.is_now ? 0 : question->where.at_us);
    out_text(out, "sort", order_names[question->order]);
    out_text(out, "utility", question->utility_text);
    out_text(out, "reference", question->reference);
    out_number(out, "margin_percent", question->margin_percent);
    out_number(out, "assumed_vm_spread_percent", question->vm_spread_percent);
    out_close(out, '}');
}

static void present_decision(struct out *out, const struct ranking *ranking)
{
    if (!ranking->decision[0]) {
        out_null(out, "decision");
        return;
    }
    out_open(out, "decision", '{');
    out_text(out, "row", ranking->answer ? ranking->answer->contender->id : NULL);
    out_text(out, "instance",
             ranking->answer ? text_or_null(ranking->answer->contender->instance) : NULL);
    out_text(out, "words", ranking->decision);
    out_close(out, '}');
}

void present_comparison(struct out *out, const struct comparison_question *question,
                        const struct ranking *ranking)
{
    out_open(out, NULL, '{');
    present_question(out, question);
    present_decision(out, ranking);
    present_rows(out, question, ranking);
    out_integer(out, "ranked", (long long)ranking->ranked);
    present_unmeasured(out, question, ranking);
    out_text(out, "words",
             "throughput of training, not convergence; ranks hold for this workload alone; rows "
             "of one rank cannot be told apart");
    out_close(out, '}');
}
