/* Tested by tests/answers/compare/decide_test.c and
 * tests/answers/compare/sides_test.c. */
#include "answers/compare/job.h"

#include "common/cleanup.h"
#include "pricing/interruption.h"

#include <assert.h>
#include <math.h>

#define SECONDS_AN_HOUR 3600.0
#define INSTANCES_MAX 1e9 /* a larger number of machines is absurd */

/* Interruptions a month; NaN if it is not spot or no source gives a rate. */
static double share_of(const struct comparison_question *question,
                       const struct comparison_row *row)
{
    double share;

    if (row->price.choice != CHOOSE_SPOT || !row->price.known)
        return NAN;
    if (question->interruptions_percent > 0)
        return question->interruptions_percent / 100;
    return row->offer && interruption_share(row->offer->band, &share) ? share : NAN;
}

static double samples_of(const struct comparison_question *question,
                         const struct comparison_row *row)
{
    if (row_is_of_jobs(row))
        return 1;
    if (question->job_seconds > 0)
        return question->job_seconds * row->speed.value;
    if (question->epochs > 0)
        return question->epochs * IMAGENET_SAMPLES;
    return question->samples > 0 ? question->samples : MILLION_SAMPLES;
}

/* Billing rules apply only to a real job, not to the cost of a million samples. */
static bool is_charged_by_rule(const struct comparison_question *question)
{
    return question->samples > 0 || question->epochs > 0 || question->job_seconds > 0 ||
           question->boot_seconds > 0;
}

static double charged_hours(const struct comparison_question *question, const struct row_job *job,
                            double hours)
{
    if (!is_charged_by_rule(question))
        return hours;
    return billing_seconds(job->rule, hours * SECONDS_AN_HOUR, question->boot_seconds) /
           SECONDS_AN_HOUR;
}

/* Each end combines speed and price, taken as independent. A price without an interval is exact;
 * a speed without one is of unknown accuracy. A job given in seconds does not depend on speed. */
static void spread_dollars(const struct comparison_question *question,
                           const struct comparison_row *row, struct row_job *job)
{
    const struct amount *speed = &row->speed, *price = &row->price.dollars;
    double shorter = job->charged_hours, longer = shorter, cheaper = 0, costlier = 0;

    if (!row->price.known || !speed->has_interval)
        return;
    if (!(question->job_seconds > 0)) {
        shorter = charged_hours(question, job, job->hours * speed->value / speed->high);
        longer = charged_hours(question, job, job->hours * speed->value / speed->low);
    }
    if (price->has_interval) {
        cheaper = fmax(log(price->value / price->low), 0);
        costlier = fmax(log(price->high / price->value), 0);
    }
    job->dollars_low = job->dollars * exp(-hypot(log(job->charged_hours / shorter), cheaper));
    job->dollars_high = job->dollars * exp(hypot(log(longer / job->charged_hours), costlier));
    assert(!(job->dollars_low > job->dollars_high));
}

static void job_charge(const struct comparison_question *question,
                       const struct comparison_row *row, struct row_job *job)
{
    if (is_charged_by_rule(question))
        job->rule = billing_rule_at(row->contender->provider, question->where.at_us);
    job->charged_hours = charged_hours(question, job, job->hours);
    job->dollars = row->price.known ? job->charged_hours * row->price.dollars.value : NAN;
    job->waiting_dollars = job->hours * question->hourly_value;
    job->total_dollars = job->dollars + job->waiting_dollars;
    spread_dollars(question, row, job);
}

void comparison_job(const struct comparison_question *question, struct comparison_row *row)
{
    struct row_job *job = &row->job;
    double rate;

    row->has_cost = row->price.known &&
                    cost_of_spread(&row->speed, &row->price.dollars, &row->cost, &row->dominates);
    *job = (struct row_job){.samples = samples_of(question, row),
                            .dollars = NAN,
                            .dollars_low = NAN,
                            .dollars_high = NAN,
                            .total_dollars = NAN};
    job->interruption_share = share_of(question, row);
    job->hours = job->samples / row->speed.value / SECONDS_AN_HOUR;
    rate = isnan(job->interruption_share) ? 0 : interruption_rate(job->interruption_share);
    job->checkpointing =
        checkpointing_best(rate, question->checkpoint_seconds, question->restart_seconds);
    if (rate > 0)
        job->hours *= 1 + job->checkpointing.waste;
    job_charge(question, row, job);
    if (question->deadline_h > 0 && job->hours / question->deadline_h < INSTANCES_MAX)
        job->instances = (long long)ceil(job->hours / question->deadline_h);
}
