/* The cheapest machine that keeps a deadline, the fastest within a budget, and how probably. */
#include "common/cleanup.h"
#include "pricing/interruption.h"
#include "server/compare/comparison.h"

#include <math.h>

#define SURE 0.95

/* Hours by which a row must have ended to keep all that was asked. */
static double hours_allowed(const struct comparison_question *question,
                            const struct comparison_row *row)
{
    double hours = question->deadline_h > 0 ? question->deadline_h : INFINITY;

    if (question->budget > 0) {
        double spent = row->price.dollars.value + question->hourly_value;
        /* What boot and minimum add does not grow with the hours. */
        double extra = row->job.charged_hours - row->job.hours;
        double within = row->price.known
                            ? question->budget / spent - extra * row->price.dollars.value / spent
                            : -1;

        hours = fmin(hours, within);
    }
    return hours;
}

static void look_ahead(const struct comparison_question *question, struct job_forecast *forecast,
                       struct comparison_row *row)
{
    const struct standing *standing = &row->contender->standing;
    struct row_job *job = &row->job;
    struct forecast_inputs forecast_inputs = {.speeds = standing->values,
                                              .count = standing->value_count,
                                              .value_spread = standing->noise,
                                              .checkpoint_seconds = question->checkpoint_seconds,
                                              .restart_seconds = question->restart_seconds};

    if (forecast_inputs.count == 0) {
        forecast_inputs.speeds = &standing->value;
        forecast_inputs.count = 1;
    }
    if (standing->level != STANDING_VMS)
        forecast_inputs.machine_spread = question->vm_spread_percent / 100;
    if (!isnan(job->interruption_share))
        forecast_inputs.interruptions = interruption_rate(job->interruption_share);
    job_forecast_draw(&forecast_inputs, job->samples, forecast);
    job->has_forecast = true;
    job->probability = job_forecast_share(forecast, hours_allowed(question, row));
    job->hours_low = job_forecast_quantile(forecast, 0.05);
    job->hours_high = job_forecast_quantile(forecast, 0.95);
}

static void explain(const struct comparison_question *question, struct ranking *ranking,
                    const struct comparison_row *nearest)
{
    const struct comparison_row *answer = ranking->answer;
    char asked[120] = "", budget[60] = "";

    if (question->budget > 0)
        snprintf(budget, sizeof budget, "%s$%.2f", question->deadline_h > 0 ? " and " : "",
                 question->budget);
    if (question->deadline_h > 0)
        snprintf(asked, sizeof asked, "%.3g h%s", question->deadline_h, budget);
    else
        snprintf(asked, sizeof asked, "%s", budget);
    if (answer)
        snprintf(ranking->decision, sizeof ranking->decision,
                 "%s %.60s (%s): %.3g h, $%.2f, within %s with a probability of %.3f",
                 question->deadline_h > 0 ? "cheapest:" : "fastest:",
                 answer->contender->instance[0] ? answer->contender->instance : "this machine",
                 answer->price.kind, answer->job.hours, answer->job.total_dollars, asked,
                 answer->job.probability);
    else if (nearest)
        snprintf(ranking->decision, sizeof ranking->decision,
                 "none keeps %s with a probability of %.2f; the nearest is %.60s: %.3g h, $%.2f, "
                 "probability %.3f",
                 asked, SURE,
                 nearest->contender->instance[0] ? nearest->contender->instance : "this machine",
                 nearest->job.hours, nearest->job.total_dollars, nearest->job.probability);
    else
        snprintf(ranking->decision, sizeof ranking->decision,
                 "no row has both a measurement with an interval and a price");
}

/* A published figure has no spread to draw from. */
static bool is_eligible(const struct comparison_row *row)
{
    return !row->contender->is_published && row->speed.has_interval && row->price.known;
}

static int by_dollars(const void *left, const void *right)
{
    double l = (*(struct comparison_row *const *)left)->job.total_dollars,
           r = (*(struct comparison_row *const *)right)->job.total_dollars;

    return (l > r) - (l < r);
}

static int by_hours(const void *left, const void *right)
{
    double l = (*(struct comparison_row *const *)left)->job.hours,
           r = (*(struct comparison_row *const *)right)->job.hours;

    return (l > r) - (l < r);
}

/* How near a row comes to keeping what was asked: less than 1 is on the safe side of the middle.
 */
static double strain(const struct comparison_question *question, const struct comparison_row *row)
{
    double allowed = hours_allowed(question, row);

    return allowed > 0 ? row->job.hours / allowed : INFINITY;
}

/* Drawing takes long beside everything else here, so the best are tried first and the first that
 * is sure is the answer; what would not even be done in the middle of all cases is not tried. */
static void find_answer(const struct comparison_question *question, struct job_forecast *forecast,
                        struct comparison_row **candidates, size_t count, struct ranking *ranking)
{
    struct comparison_row *nearest = NULL;

    qsort(candidates, count, sizeof(struct comparison_row *),
          question->deadline_h > 0 ? by_dollars : by_hours);
    for (size_t i = 0; i < count && !ranking->answer; i++) {
        if (!nearest || strain(question, candidates[i]) < strain(question, nearest))
            nearest = candidates[i];
        if (strain(question, candidates[i]) > 1)
            continue;
        if (!candidates[i]->job.has_forecast)
            look_ahead(question, forecast, candidates[i]);
        if (candidates[i]->job.probability >= SURE)
            ranking->answer = candidates[i];
    }
    if (nearest && !nearest->job.has_forecast)
        look_ahead(question, forecast, nearest);
    explain(question, ranking, nearest);
}

bool comparison_decide(const struct comparison_question *question, struct ranking *ranking,
                       struct error *err)
{
    AUTO(freep) struct job_forecast *forecast = NULL;
    AUTO(freep) struct comparison_row **candidates = NULL;
    size_t count = 0, first = (size_t)question->offset;

    if (!(question->deadline_h > 0) && !(question->budget > 0))
        return true;
    forecast = malloc(sizeof *forecast);
    candidates = calloc(ranking->count + 1, sizeof *candidates);
    if (!forecast || !candidates)
        return error_no_memory(err);
    for (size_t i = 0; i < ranking->count; i++) {
        struct comparison_row *row = &ranking->rows[i];

        if (!is_eligible(row))
            continue;
        candidates[count++] = row;
        if (i >= first && i - first < (size_t)question->limit) /* it will be shown */
            look_ahead(question, forecast, row);
    }
    find_answer(question, forecast, candidates, count, ranking);
    return true;
}
