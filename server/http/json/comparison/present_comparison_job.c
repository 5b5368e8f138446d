/* Tested by tests/server/http/json/comparison/present_comparison_test.c. */
#include "server/http/json/comparison/present_comparison_job.h"

#include "server/http/json/comparison/comparison_view.h"

#include <math.h>
#include <stdio.h>

void comparison_write_exact(struct json_writer *out, const struct member *row, const void *object)
{
    jsonw_number(out, row->name, price_exact(MEMBER_VALUE(double, row, object)));
}

static void write_percent(struct json_writer *out, const struct member *row, const void *object)
{
    jsonw_number(out, row->name, 100 * MEMBER_VALUE(double, row, object));
}

static const struct member interruption_rows[] = {
    {MEMBER_AS(struct row_job, "percent_a_month", interruption_share), .write = write_percent},
    {MEMBER_AS(struct row_job, "checkpoint_every_hours", checkpointing.interval_hours)},
    {MEMBER_AS(struct row_job, "wasted_percent", checkpointing.waste), .write = write_percent},
    {.name = "words",
     .type = MEMBER_TEXT,
     .filled = true,
     .always = "a rough rate: interruptions are not memoryless, and not getting the "
               "machine at all costs more than they do"},
    {0},
};
static const struct members interruption_members = {.rows = interruption_rows};

static const struct member next_rows[] = {
    {MEMBER(struct row_job, machines), .range = MEMBER_POSITIVE},
    {MEMBER_AS(struct row_job, "processor_models", models), .range = MEMBER_POSITIVE},
    {0},
};
static const struct members next_members = {.rows = next_rows};

MEMBER_WRITES(write_charged, number, struct row_job, job, job->charged_hours * 3600)
MEMBER_WRITES(write_billing, text, struct row_job, job,
              job->rule ? job->rule->words
                        : "charged as it takes: no job was named, or no rule is known")
MEMBER_FINDS(find_interruptions, struct row_job, job, isnan(job->interruption_share) ? NULL : job)
MEMBER_FINDS(find_forecast, struct row_job, job, job->has_forecast ? job : NULL)
MEMBER_FINDS(find_next, struct row_job, job, job->machines > 0 ? job : NULL)
MEMBER_FINDS(find_parallel, struct row_job, job, job->instances > 0 ? job : NULL)

static void write_draws(struct json_writer *out, const struct member *row, const void *object)
{
    (void)object;
    jsonw_integer(out, row->name, FORECAST_DRAWS);
}

static const struct member forecast_rows[] = {
    {MEMBER(struct row_job, probability), .range = MEMBER_SHARE},
    {MEMBER(struct row_job, hours_low)},
    {MEMBER(struct row_job, hours_high)},
    {MEMBER_WRITTEN("draws", MEMBER_INTEGER, write_draws), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_FOUND("next_machine", &next_members, find_next), .nullable = true,
     .meaning = "The forecast is of the next machine of the type that is rented, predicted from "
                "so many machines; null for a machine that is not rented."},
    {0},
};
static const struct members forecast_members = {.rows = forecast_rows};

static const struct member parallel_rows[] = {
    {MEMBER(struct row_job, instances), .range = MEMBER_POSITIVE},
    {.name = "words",
     .type = MEMBER_TEXT,
     .filled = true,
     .always = "ideal scaling, upper bound of what so many can do"},
    {0},
};
static const struct members parallel_members = {.rows = parallel_rows};

static const struct member job_rows[] = {
    {MEMBER(struct row_job, samples), .range = MEMBER_POSITIVE},
    {MEMBER(struct row_job, hours), .range = MEMBER_POSITIVE},
    {MEMBER_WRITTEN("charged_seconds", MEMBER_NUMBER, write_charged), .range = MEMBER_POSITIVE},
    {MEMBER_WRITTEN("billing", MEMBER_TEXT, write_billing), .filled = true},
    {MEMBER(struct row_job, dollars), .nullable = true, .write = comparison_write_exact},
    {MEMBER(struct row_job, waiting_dollars), .write = comparison_write_exact},
    {MEMBER(struct row_job, total_dollars), .nullable = true, .write = comparison_write_exact},
    {MEMBER_FOUND("interruptions", &interruption_members, find_interruptions), .nullable = true},
    {MEMBER_FOUND("prospect", &forecast_members, find_forecast), .nullable = true},
    {MEMBER_FOUND("in_parallel", &parallel_members, find_parallel), .nullable = true},
    {0},
};
const struct members comparison_job_members = {.name = "ComparisonJob",
                                               .meaning =
                                                   "Time and cost of the job on this machine.",
                                               .rows = job_rows};

const void *comparison_find_job(const void *object)
{
    const struct comparison_row *row = object;

    return row->job.hours > 0 ? &row->job : NULL;
}

static void write_peak_words(struct json_writer *out, const struct member *row,
                             const void *object)
{
    const struct comparison_row *of = object;
    char words[160];

    snprintf(words, sizeof words,
             "estimate: %.0f cores at %.2f GHz, %.0f operations a cycle each, three times the "
             "forward pass",
             of->contender->newest.threads, of->contender->newest.hertz / 1e9,
             of->peak.operations_a_cycle);
    jsonw_text(out, row->name, words);
}

static const struct member peak_rows[] = {
    {MEMBER_AS(struct comparison_row, "achieved_tflops", peak.achieved_tflops)},
    {MEMBER_AS(struct comparison_row, "peak_tflops", peak.peak_tflops)},
    {MEMBER_AS(struct comparison_row, "share", peak.share)},
    {MEMBER_WRITTEN("words", MEMBER_TEXT, write_peak_words), .filled = true},
    {0},
};
const struct members comparison_peak_members = {.name = "ComparisonPeak", .rows = peak_rows};

const void *comparison_find_peak(const void *object)
{
    const struct comparison_row *row = object;

    return row->has_peak ? row : NULL;
}

/* A ratio with the verdict of the question's margin. */
struct judged_ratio {
    double value, low, high;
    const char *verdict;
};
static const char *const verdicts[] = {"better", "worse", "cannot_be_told_apart", "no_interval",
                                       NULL};

static const struct member ratio_rows[] = {
    {MEMBER(struct judged_ratio, value), .range = MEMBER_POSITIVE},
    {MEMBER(struct judged_ratio, low), .nullable = true},
    {MEMBER(struct judged_ratio, high), .nullable = true},
    {MEMBER(struct judged_ratio, verdict), .words = verdicts},
    {0},
};
static const struct members ratio_members = {.name = "ComparisonRatio", .rows = ratio_rows};

/* Of the row's ratio at the offset. */
static void write_ratio(struct json_writer *out, const struct member *row, const void *object)
{
    const struct comparison_view *view = object;
    const struct ratio *ratio = &MEMBER_VALUE(struct ratio, row, view->row);
    double margin = view->question->margin_percent / 100;
    const struct judged_ratio judged = {
        ratio->value, ratio->known ? ratio->low : NAN, ratio->known ? ratio->high : NAN,
        ratio->known ? compare_name(compare_judge(ratio, margin)) : "no_interval"};

    members_write(out, row->name, row->members, isnan(ratio->value) ? NULL : &judged);
}

MEMBER_FINDS(find_row, struct comparison_view, view, view->row)
MEMBER_WRITES(write_relative_cost, number, struct comparison_row, it, 1 / it->ratio.value)

static const struct member cost_ratio_rows[] = {
    {MEMBER_WRITTEN("relative_cost", MEMBER_NUMBER, write_relative_cost), .nullable = true},
    {MEMBER(struct comparison_row, mixed_kinds),
     .meaning = "The two prices are of different kinds: spot and on demand."},
    {MEMBER_AS(struct comparison_row, "break_even_samples_per_second", break_even_speed),
     .nullable = true},
    {MEMBER_AS(struct comparison_row, "break_even_price_per_hour", break_even_price),
     .nullable = true},
    {0},
};
static const struct members cost_ratio_members = {.rows = cost_ratio_rows};

static const struct member reference_rows[] = {
    {MEMBER_OBJECT_AT(struct comparison_row, "samples_per_dollar", ratio), .nullable = true,
     .members = &ratio_members, .write = write_ratio},
    {MEMBER_OBJECT_AT(struct comparison_row, "throughput", speed_ratio), .nullable = true,
     .members = &ratio_members, .write = write_ratio},
    {MEMBER_ROWS(&cost_ratio_members), .find = find_row},
    {0},
};
const struct members to_reference_members = {.name = "ComparisonToReference",
                                             .rows = reference_rows};

const void *comparison_find_reference(const void *object)
{
    const struct comparison_view *view = object;

    return view->question->reference && !isnan(view->row->speed_ratio.value) ? view : NULL;
}
