#include "engine/stats/summary.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "common/rows/fields.h"
#include "engine/stats/stats.h"

#include <assert.h>
#include <math.h>

#define OUTLIER 3.5 /* modified z score (Iglewicz and Hoaglin) */
#define SKEWED 0.02

/* The measured part of a run, once in order and once to be rearranged. */
struct measured {
    const long long *nanoseconds;
    long long *items;
    size_t count;
    double total, median; /* nanoseconds */
};

/* Which steps are counted, and whether they are of one level. */
static bool choose_window(const long long *nanoseconds, size_t count,
                          const struct summary_rules *rules, struct summary *summary,
                          struct error *err)
{
    bool detect = rules->warmup_steps == FIELD_IS_AUTO, too_short = false;
    size_t first = (size_t)rules->warmup_steps, measured;
    struct warmup warmup;

    if (detect) {
        warmup = warmup_detect(nanoseconds, count);
        too_short = !warmup.decided;
        /* Too short a run to decide has its step 0 apart, and counts the rest as it is. */
        first = too_short ? count > 1 : warmup.steps;
        /* The wanted number is measured: the warm-up has what is there beyond. */
        if (rules->steps != FIELD_IS_AUTO && count > (size_t)rules->steps &&
            first > count - (size_t)rules->steps)
            first = count - (size_t)rules->steps;
    }
    if (count <= first)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "the run ended within its warm-up: %zu of %zu steps, none measured",
                         count, first);
    measured = count - first;
    if (rules->steps != FIELD_IS_AUTO && measured > (size_t)rules->steps)
        measured = (size_t)rules->steps;
    assert(measured > 0 && first + measured <= count);
    warmup = warmup_fixed(nanoseconds, first + measured, first);
    warmup.steady = warmup.steady && !too_short;
    summary->steady = warmup.steady;
    summary->change_percent = 100 * warmup.drift.change;
    summary->trace = warmup_classify(&warmup);
    summary->first_measured = (long long)first;
    summary->measured_steps = (long long)measured;
    return true;
}

static double seconds_of(const long long *nanoseconds, size_t from, size_t to)
{
    long long sum = 0;

    for (size_t i = from; i < to; i++)
        sum += nanoseconds[i];
    return (double)sum / 1e9;
}

static void compute_throughput(const struct measured *measured, long long batch_size,
                               struct summary *summary)
{
    double per_nanosecond = (double)batch_size * 1e9, count = (double)measured->count;
    struct mean_interval interval;

    interval_of_mean(measured->nanoseconds, measured->count, &interval);
    summary->measured_seconds = measured->total / 1e9;
    summary->samples_per_second = per_nanosecond * count / measured->total;
    summary->idle_samples_per_second = summary->samples_per_second;
    summary->batches = (long long)interval.batches;
    summary->batch_steps = (long long)interval.length;
    summary->batch_lag1 = interval.lag1;
    summary->memory = interval.memory;
    summary->drift_percent = interval.drift_percent;
    if (!interval.mean.known)
        return;
    summary->throughput = (struct range){.known = true,
                                         .low = per_nanosecond / interval.mean.high,
                                         .high = per_nanosecond / interval.mean.low};
    summary->half_width_percent = 100 * (summary->throughput.high - summary->throughput.low) /
                                  (2 * summary->samples_per_second);
}

static void compute_median(const struct measured *measured, const char *run_id,
                           struct summary *summary)
{
    struct median_interval interval;

    interval_of_median(measured->nanoseconds, measured->items, measured->count,
                       chance_from(run_id), &interval);
    summary->median_step_seconds = measured->median / 1e9;
    summary->median = interval.median;
    summary->median.low /= 1e9;
    summary->median.high /= 1e9;
    summary->block_steps = (long long)interval.block;
}

/* Rearranges the items, and makes distances of them. */
static void mark_outliers(const struct measured *measured, struct summary *summary)
{
    double distance, spent = 0;

    for (size_t i = 0; i < measured->count; i++)
        measured->items[i] = (long long)fabs((double)measured->nanoseconds[i] - measured->median);
    distance = OUTLIER * MAD_TO_SIGMA * stats_median(measured->items, measured->count);
    for (size_t i = 0; i < measured->count; i++)
        if (fabs((double)measured->nanoseconds[i] - measured->median) > distance) {
            summary->outliers++;
            spent += (double)measured->nanoseconds[i];
        }
    summary->outlier_low_seconds = fmax(measured->median - distance, 0) / 1e9;
    summary->outlier_high_seconds = (measured->median + distance) / 1e9;
    summary->outlier_time_share = spent / measured->total;
}

static void compute_spread(const struct measured *measured, struct summary *summary)
{
    double count = (double)measured->count, mean = measured->total / count, squares = 0;

    for (size_t i = 0; i < measured->count; i++) {
        double off = (double)measured->nanoseconds[i] - mean;

        squares += off * off;
    }
    summary->cov = measured->count > 1 ? sqrt(squares / (count - 1)) / mean : 0;
    summary->lag1 = interval_lag1(measured->nanoseconds, measured->count);
    summary->skewed = fabs(mean - measured->median) > SKEWED * measured->median;
}

/* Known where every measured step reports its split. */
static void compute_split(const struct steps *steps, struct summary *summary)
{
    size_t first = (size_t)summary->first_measured, count = (size_t)summary->measured_steps;
    struct step_split sum = {0};

    summary->split_known = true;
    for (size_t i = first; i < first + count; i++) {
        const struct step_split *split = &steps->items[i].split;

        if (!step_split_is_known(split))
            summary->split_known = false;
        sum.input += split->input;
        sum.forward += split->forward;
        sum.backward += split->backward;
        sum.update += split->update;
        sum.communication += split->communication;
    }
    double scale = 1e9 * (double)count;
    summary->split = (struct split_seconds){.input = (double)sum.input / scale,
                                            .forward = (double)sum.forward / scale,
                                            .backward = (double)sum.backward / scale,
                                            .update = (double)sum.update / scale,
                                            .communication = (double)sum.communication / scale};
}

static double mean_loss(const struct steps *steps, size_t from, size_t count)
{
    double sum = 0;

    for (size_t i = from; i < from + count; i++)
        sum += steps->items[i].loss;
    return sum / (double)count;
}

static void compute_losses(const struct steps *steps, struct summary *summary)
{
    size_t fifth = steps->count / 5 > 0 ? steps->count / 5 : 1;

    summary->first_loss = mean_loss(steps, 0, fifth);
    summary->last_loss = mean_loss(steps, steps->count - fifth, fifth);
}

bool summary_compute(const struct steps *steps, const struct summary_rules *rules,
                     struct summary *ret_summary, struct error *err)
{
    size_t count = steps->count;
    AUTO(freep) long long *all = xcalloc(count, 2 * sizeof *all);
    struct summary summary = {.steps = (long long)count};
    struct measured measured;

    for (size_t i = 0; i < count; i++)
        all[i] = steps->items[i].nanoseconds;
    if (!choose_window(all, count, rules, &summary, err))
        return false;
    size_t first = (size_t)summary.first_measured, apart = first > 0 ? 1 : 0;
    summary.init_seconds = (double)rules->setup_ns / 1e9 + seconds_of(all, 0, apart);
    summary.warmup_seconds = seconds_of(all, apart, first);

    measured = (struct measured){.nanoseconds = all + first,
                                 .items = all + count,
                                 .count = (size_t)summary.measured_steps};
    measured.total = 0;
    for (size_t i = 0; i < measured.count; i++)
        measured.total += (double)measured.nanoseconds[i];
    memcpy(measured.items, measured.nanoseconds, measured.count * sizeof *all);
    measured.median = stats_median(measured.items, measured.count);
    compute_throughput(&measured, rules->batch_size, &summary);
    compute_median(&measured, rules->run_id, &summary);
    mark_outliers(&measured, &summary);
    compute_spread(&measured, &summary);
    compute_split(steps, &summary);
    compute_losses(steps, &summary);
    *ret_summary = summary;
    return true;
}

void summary_widen(struct summary *summary, double idle_speed, double idle_speed_max)
{
    assert(idle_speed >= 1 && idle_speed_max >= idle_speed);
    summary->idle_samples_per_second = summary->samples_per_second * idle_speed;
    summary->disturbance_percent = 100 * (idle_speed_max - 1);
    summary->throughput.high *= idle_speed_max;
}
