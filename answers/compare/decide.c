#include "answers/compare/decide.h"

#include "answers/compare/decision_words.h"
#include "common/cleanup.h"
#include "common/memory.h"
#include "pricing/interruption.h"

#include <assert.h>
#include <math.h>

/* The latest end of a row, in hours, that meets the question. */
static double hours_allowed(const struct comparison_question *question,
                            const struct comparison_row *row)
{
    double hours = question->deadline_h > 0 ? question->deadline_h : INFINITY;

    if (question->budget > 0) {
        double spent = row->price.dollars.value + question->hourly_value;
        /* Boot and minimum are constant. */
        double extra = row->job.charged_hours - row->job.hours;
        double within = row->price.known
                            ? question->budget / spent - extra * row->price.dollars.value / spent
                            : -1;

        hours = fmin(hours, within);
    }
    return hours;
}

/* Machines of the requested types, sorted by type, because each row searches among thousands of
 * contenders. */
struct machines {
    const struct contender **list; /* owned */
    size_t count;
};

static int by_type(const void *left, const void *right)
{
    const struct contender *l = *(const struct contender *const *)left;
    const struct contender *r = *(const struct contender *const *)right;
    int order = strcmp(l->instance, r->instance);

    return order != 0 ? order : (l > r) - (l < r);
}

static void find_machines(const struct comparison_parts *parts, struct machines *machines)
{
    const struct standings *standings = parts->standings;

    machines->list = xcalloc(standings->count, sizeof *machines->list);
    for (size_t i = 0; i < standings->count; i++) {
        const struct contender *contender = &standings->list[i];

        if (!contender->is_published && contender->standing.machine_count > 0 &&
            strcmp(contender->workload, parts->question->workload) == 0)
            machines->list[machines->count++] = contender;
    }
    qsort(machines->list, machines->count, sizeof *machines->list, by_type);
}

/* The first whose instance type is not before this one. */
static size_t first_of(const struct machines *machines, const char *instance)
{
    size_t low = 0, high = machines->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(machines->list[middle]->instance, instance) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether its runs predict the speed of the row's type, with any processor model that the
 * provider may assign. */
static bool is_of_type(const struct contender *contender, const struct contender *row)
{
    return strcmp(contender->provider, row->provider) == 0 &&
           strcmp(contender->engine, row->engine) == 0 &&
           strcmp(contender->configuration, row->configuration) == 0;
}

/* State of the forecast. */
struct forecaster {
    const struct comparison_parts *parts;
    struct machines machines;
    struct job_forecast *forecast; /* owned: room for the draws of one row */
};

static void forecaster_clear(struct forecaster *forecaster)
{
    freep(&forecaster->machines.list);
    freep(&forecaster->forecast);
}

/* Draws the next rented machine of the row's type. False if the row's machine is not rented or
 * nothing can be predicted. */
static bool decision_predict(const struct forecaster *forecaster, const struct contender *row,
                             struct next_machine *ret_next, struct row_job *job)
{
    struct machine_model models[NEXT_MACHINE_MODELS_MAX];
    const struct machines *known = &forecaster->machines;
    double vm_spread = forecaster->parts->question->vm_spread_percent / 100;
    size_t count = 0, machines = 0;

    if (!row->instance[0] || !row->provider[0])
        return false;
    for (size_t i = first_of(known, row->instance);
         i < known->count && count < COUNT(models) &&
         strcmp(known->list[i]->instance, row->instance) == 0;
         i++) {
        const struct standing *standing = &known->list[i]->standing;

        if (!is_of_type(known->list[i], row))
            continue;
        models[count++] =
            (struct machine_model){.speeds = standing->machines,
                                   .count = standing->machine_count,
                                   .run_spread = standing->level == STANDING_RUNS
                                                     ? fmax(standing->noise, standing->spread)
                                                     : standing->noise};
        machines += standing->machine_count;
    }
    if (!next_machine_predict(models, count, vm_spread, ret_next))
        return false;
    job->machines = (long long)machines;
    job->models = (long long)count;
    return true;
}

/* `next` holds what the inputs borrow. */
static struct forecast_inputs inputs_of(const struct forecaster *forecaster,
                                        struct comparison_row *row, struct next_machine *next)
{
    const struct comparison_question *question = forecaster->parts->question;
    const struct standing *standing = &row->contender->standing;
    struct row_job *job = &row->job;
    struct forecast_inputs inputs = {.speeds = standing->values,
                                     .count = standing->value_count,
                                     .value_spread = standing->noise,
                                     .checkpoint_seconds = question->checkpoint_seconds,
                                     .restart_seconds = question->restart_seconds};

    if (inputs.count == 0) {
        inputs.speeds = &standing->value;
        inputs.count = 1;
    }
    if (decision_predict(forecaster, row->contender, next, job))
        inputs.next = next;
    if (!isnan(job->interruption_share))
        inputs.interruptions = interruption_rate(job->interruption_share);
    return inputs;
}

/* A published figure has no spread to draw from. */
static bool is_eligible(const struct comparison_row *row)
{
    return !row->contender->is_published && row->speed.has_interval && row->price.known;
}

static void look_ahead(const struct forecaster *forecaster, struct comparison_row *row)
{
    struct job_forecast *forecast = forecaster->forecast;
    struct row_job *job = &row->job;
    struct next_machine next;
    struct forecast_inputs inputs;

    if (job->has_forecast)
        return;
    inputs = inputs_of(forecaster, row, &next);
    assert(is_eligible(row));
    job_forecast_draw(&inputs, job->samples, forecast);
    job->has_forecast = true;
    job->probability =
        job_forecast_share(forecast, hours_allowed(forecaster->parts->question, row));
    job->hours_low = job_forecast_quantile(forecast, 0.05);
    job->hours_high = job_forecast_quantile(forecast, 0.95);
}

/* Whether a draw may end within the limit. If none can, the probability is 0 without drawing. */
static bool can_meet(const struct forecaster *forecaster, struct comparison_row *row)
{
    struct next_machine next;
    struct forecast_inputs inputs = inputs_of(forecaster, row, &next);

    return job_forecast_least(&inputs, row->job.samples) <=
           hours_allowed(forecaster->parts->question, row);
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

/* The row's median relative to the limit: below 1 it is met. */
static double decision_strain(const struct comparison_question *question,
                              const struct comparison_row *row)
{
    double allowed = hours_allowed(question, row);

    return allowed > 0 ? row->job.hours / allowed : INFINITY;
}

/* The most probable; of equally probable rows (mostly probability 0) the least late. */
static bool is_nearer(const struct comparison_question *question,
                      const struct comparison_row *row, const struct comparison_row *other)
{
    if (!other || row->job.probability > other->job.probability)
        return true;
    return !(row->job.probability < other->job.probability) &&
           decision_strain(question, row) < decision_strain(question, other);
}

/* Drawing is the slowest part, so rows are tried best first, and the first sure one is the
 * answer. Rows whose median misses the limit are skipped; only without an answer are all tried
 * that can meet it, to find the nearest. */
static void find_answer(const struct forecaster *forecaster, struct comparison_row **candidates,
                        size_t count, struct ranking *ranking)
{
    const struct comparison_question *question = forecaster->parts->question;
    struct comparison_row *nearest = NULL;

    for (size_t i = 0; i < count; i++) {
        if (decision_strain(question, candidates[i]) > 1)
            continue;
        look_ahead(forecaster, candidates[i]);
        if (candidates[i]->job.probability >= DECISION_SURE) {
            ranking->answer = candidates[i];
            return;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (candidates[i]->job.has_forecast || can_meet(forecaster, candidates[i]))
            look_ahead(forecaster, candidates[i]);
        else
            candidates[i]->job.probability = 0;
        if (is_nearer(question, candidates[i], nearest))
            nearest = candidates[i];
    }
    if (nearest)
        look_ahead(forecaster, nearest);
    ranking->nearest = nearest;
}

/* Of the published figures that meet the question, the one that would be the answer if it were
 * measured. Excludes times of whole jobs: they say nothing about the question's job. */
static void find_published(const struct comparison_question *question, struct ranking *ranking)
{
    for (size_t i = 0; i < ranking->count; i++) {
        const struct comparison_row *row = &ranking->rows[i], *best = ranking->published;

        if (row->contender->is_published && !row_is_of_jobs(row) && row->job.hours > 0 &&
            row->price.known && decision_strain(question, row) <= 1 &&
            (!best || (question->deadline_h > 0 ? row->job.total_dollars < best->job.total_dollars
                                                : row->job.hours < best->job.hours)))
            ranking->published = row;
    }
}

void comparison_decide(const struct comparison_parts *parts, struct ranking *ranking)
{
    const struct comparison_question *question = parts->question;
    AUTO(forecaster_clear) struct forecaster forecaster = {.parts = parts};
    AUTO(freep) struct comparison_row **candidates = NULL;
    size_t count = 0, first = (size_t)question->offset;

    if (!(question->deadline_h > 0) && !(question->budget > 0))
        return;
    forecaster.forecast = xmalloc(sizeof *forecaster.forecast);
    candidates = xcalloc(ranking->count, sizeof *candidates);
    find_machines(parts, &forecaster.machines);
    for (size_t i = 0; i < ranking->count; i++) {
        struct comparison_row *row = &ranking->rows[i];

        if (!is_eligible(row))
            continue;
        candidates[count++] = row;
        if (i >= first && i - first < (size_t)question->limit) /* it will be shown */
            look_ahead(&forecaster, row);
    }
    qsort(candidates, count, sizeof *candidates,
          question->deadline_h > 0 ? by_dollars : by_hours);
    find_answer(&forecaster, candidates, count, ranking);
    find_published(question, ranking);
    comparison_explain(question, ranking);
}
