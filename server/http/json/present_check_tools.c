/* Tested by tests/server/http/json/present_check_test.c. */
#include "server/http/json/present_check_tools.h"

#include "common/cleanup.h"
#include "engine/stats/stats.h"

#include <math.h>

/* A value and its 95 % interval: of the steps of a single run, else over the runs. */
struct metric {
    double value, low, high; /* the latter NaN where not known */
};

static struct metric over(const double *values, size_t count)
{
    double mean = 0, squares = 0, half = NAN;

    for (size_t i = 0; i < count; i++)
        mean += log(values[i]) / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (log(values[i]) - mean) * (log(values[i]) - mean);
    if (count > 1)
        half = stats_t95(count - 1) * sqrt(squares / (double)(count - 1) / (double)count);
    return (struct metric){count == 1 ? values[0] : exp(mean), exp(mean - half),
                           exp(mean + half)};
}

/* False where there is nothing to tell: the run itself must be among the valid ones. */
static bool find_speed(const struct gate_check *check, struct metric *ret_metric)
{
    const struct gate_check_side *side = &check->candidate;
    bool among = false;

    for (size_t i = 0; i < side->count; i++)
        among = among || strcmp(side->runs[i].id.text, check->run.text) == 0;
    if (!among)
        return false;
    *ret_metric = over(side->values, side->count);
    if (side->count == 1 && side->runs[0].throughput.low > 0) {
        ret_metric->low = side->runs[0].throughput.low;
        ret_metric->high = side->runs[0].throughput.high;
    }
    return true;
}

/* What a dollar bought: the price is a fact without an interval of its own. */
static bool find_bargain(const struct gate_check *check, const struct metric *speed,
                         struct metric *ret_metric)
{
    double factor = 3600 / check->candidate.dollars;

    if (!(check->candidate.dollars > 0))
        return false;
    *ret_metric =
        (struct metric){speed->value * factor, speed->low * factor, speed->high * factor};
    return true;
}

/* Of what a history is kept: the same for runs that may be compared. A reader tells metrics apart
 * by their names alone. */
static void write_name(const struct gate_check *check, const char *metric, size_t size,
                       char ret_name[])
{
    const struct gate_subject *subject = &check->candidate_subject;
    const struct configuration *setup = &subject->setup;

    snprintf(ret_name, size, "%s/%s/%s/batch_size=%lld/threads=%lld%s%s%s", subject->workload,
             subject->engine, setup->precision ? setup->precision : "", setup->batch_size,
             setup->threads, subject->instance[0] ? "/" : "", subject->instance, metric);
}

static void write_point(struct json_writer *out, const char *name, const char *unit,
                        const struct metric *metric, const char *words)
{
    char range[64];

    jsonw_open(out, NULL, '{');
    jsonw_text(out, "name", name);
    jsonw_text(out, "unit", unit);
    jsonw_number(out, "value", metric->value);
    if (isfinite(metric->low) && isfinite(metric->high)) {
        snprintf(range, sizeof range, "%.6g", (metric->high - metric->low) / 2);
        jsonw_text(out, "range", range);
    }
    jsonw_text(out, "extra", words);
    jsonw_close(out, '}');
}

void present_check_github(struct json_writer *out, const struct gate_check *check)
{
    struct metric speed, bargain;
    char name[300];

    jsonw_open(out, NULL, '[');
    if (find_speed(check, &speed)) {
        write_name(check, " samples/s", sizeof name, name);
        write_point(out, name, "samples/s", &speed, check->words);
        if (find_bargain(check, &speed, &bargain)) {
            write_name(check, " samples/$", sizeof name, name);
            write_point(out, name, "samples/$", &bargain, check->words);
        }
    }
    jsonw_close(out, ']');
}

static void write_metric(struct json_writer *out, const char *key, const struct metric *metric)
{
    jsonw_open(out, key, '{');
    jsonw_number(out, "value", metric->value);
    if (isfinite(metric->low) && isfinite(metric->high)) {
        jsonw_number(out, "lower_value", metric->low);
        jsonw_number(out, "upper_value", metric->high);
    }
    jsonw_close(out, '}');
}

void present_check_bencher(struct json_writer *out, const struct gate_check *check)
{
    struct metric speed, bargain;
    char name[300];

    write_name(check, "", sizeof name, name);
    jsonw_open(out, NULL, '{');
    if (find_speed(check, &speed)) {
        jsonw_open(out, name, '{');
        write_metric(out, "throughput", &speed);
        if (find_bargain(check, &speed, &bargain))
            write_metric(out, "samples_per_dollar", &bargain);
        jsonw_close(out, '}');
    }
    jsonw_close(out, '}');
}
