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

/* Machines of the types that are asked about, those of one type together: there may be thousands
 * of contenders, and each row looks for its own. */
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

static bool find_machines(const struct comparison_parts *parts, struct machines *machines,
                          struct error *err)
{
    const struct standings *standings = parts->standings;

    machines->list = calloc(standings->count + 1, sizeof *machines->list);
    if (!machines->list)
        return error_no_memory(err);
    for (size_t i = 0; i < standings->count; i++) {
        const struct contender *contender = &standings->list[i];

        if (!contender->is_published && contender->standing.machine_count > 0 &&
            strcmp(contender->workload, parts->question->workload) == 0)
            machines->list[machines->count++] = contender;
    }
    qsort(machines->list, machines->count, sizeof *machines->list, by_type);
    return true;
}

/* The first that is not of an instance type before this one. */
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

/* Whether its runs say how fast a machine like the row's is, of whichever processor model the
 * provider chooses. */
static bool is_of_type(const struct contender *contender, const struct contender *row)
{
    return strcmp(contender->provider, row->provider) == 0 &&
           strcmp(contender->engine, row->engine) == 0 &&
           strcmp(contender->configuration, row->configuration) == 0;
}

/* What rows are looked ahead with. */
struct outlook {
    const struct comparison_parts *parts;
    struct machines machines;
    struct job_forecast *forecast; /* owned: room for the draws of one row */
};

static void outlook_clear(struct outlook *outlook)
{
    freep(&outlook->machines.list);
    freep(&outlook->forecast);
}

/* The next machine of the row's type that is rented. False where its machine is not rented, or
 * nothing can be predicted. */
static bool predict(const struct outlook *outlook, const struct contender *row,
                    struct next_machine *ret_next, struct row_job *job)
{
    struct machine_model models[NEXT_MACHINE_MODELS_MAX];
    const struct machines *known = &outlook->machines;
    double vm_spread = outlook->parts->question->vm_spread_percent / 100;
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

static void look_ahead(const struct outlook *outlook, struct comparison_row *row)
{
    const struct comparison_question *question = outlook->parts->question;
    struct job_forecast *forecast = outlook->forecast;
    const struct standing *standing = &row->contender->standing;
    struct row_job *job = &row->job;
    struct next_machine next;
    struct forecast_inputs inputs = {.speeds = standing->values,
                                     .count = standing->value_count,
                                     .value_spread = standing->noise,
                                     .checkpoint_seconds = question->checkpoint_seconds,
                                     .restart_seconds = question->restart_seconds};

    if (inputs.count == 0) {
        inputs.speeds = &standing->value;
        inputs.count = 1;
    }
    if (predict(outlook, row->contender, &next, job))
        inputs.next = &next;
    if (!isnan(job->interruption_share))
        inputs.interruptions = interruption_rate(job->interruption_share);
    job_forecast_draw(&inputs, job->samples, forecast);
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
static void find_answer(const struct outlook *outlook, struct comparison_row **candidates,
                        size_t count, struct ranking *ranking)
{
    const struct comparison_question *question = outlook->parts->question;
    struct comparison_row *nearest = NULL;

    qsort(candidates, count, sizeof(struct comparison_row *),
          question->deadline_h > 0 ? by_dollars : by_hours);
    for (size_t i = 0; i < count && !ranking->answer; i++) {
        if (!nearest || strain(question, candidates[i]) < strain(question, nearest))
            nearest = candidates[i];
        if (strain(question, candidates[i]) > 1)
            continue;
        if (!candidates[i]->job.has_forecast)
            look_ahead(outlook, candidates[i]);
        if (candidates[i]->job.probability >= SURE)
            ranking->answer = candidates[i];
    }
    if (nearest && !nearest->job.has_forecast)
        look_ahead(outlook, nearest);
    explain(question, ranking, nearest);
}

bool comparison_decide(const struct comparison_parts *parts, struct ranking *ranking,
                       struct error *err)
{
    const struct comparison_question *question = parts->question;
    AUTO(outlook_clear) struct outlook outlook = {.parts = parts};
    AUTO(freep) struct comparison_row **candidates = NULL;
    size_t count = 0, first = (size_t)question->offset;

    if (!(question->deadline_h > 0) && !(question->budget > 0))
        return true;
    outlook.forecast = malloc(sizeof *outlook.forecast);
    candidates = calloc(ranking->count + 1, sizeof *candidates);
    if (!outlook.forecast || !candidates)
        return error_no_memory(err);
    if (!find_machines(parts, &outlook.machines, err))
        return false;
    for (size_t i = 0; i < ranking->count; i++) {
        struct comparison_row *row = &ranking->rows[i];

        if (!is_eligible(row))
            continue;
        candidates[count++] = row;
        if (i >= first && i - first < (size_t)question->limit) /* it will be shown */
            look_ahead(&outlook, row);
    }
    find_answer(&outlook, candidates, count, ranking);
    return true;
}
