/* Tested by tests/server/http/json/present_check_test.c. */
#include "server/http/json/present_check_tools.h"

#include "common/cleanup.h"
#include "engine/stats/stats.h"

#include <math.h>

/* A value and its 95 % interval: of the steps of a single run, else over the runs. */
struct metric {
    double value, low, high; /* the latter NaN where not known */
};

static bool has_interval(const struct metric *metric)
{
    return isfinite(metric->low) && isfinite(metric->high);
}

static struct metric metric_over(const double *values, size_t count)
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

/* False if there is no value: the run itself must be valid. */
static bool find_speed(const struct gate_check *check, struct metric *ret_metric)
{
    const struct gate_check_side *side = &check->candidate;
    bool among = false;

    for (size_t i = 0; i < side->count; i++)
        among = among || strcmp(side->runs[i].id.text, check->run.text) == 0;
    if (!among)
        return false;
    *ret_metric = metric_over(side->values, side->count);
    if (side->count == 1 && side->runs[0].throughput.low > 0) {
        ret_metric->low = side->runs[0].throughput.low;
        ret_metric->high = side->runs[0].throughput.high;
    }
    return true;
}

/* Samples per dollar; the price is exact. */
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

/* The name of the history: equal for comparable runs, because tools distinguish metrics only by
 * name. */
static void write_name(const struct gate_check *check, const char *metric, size_t size,
                       char ret_name[])
{
    const struct gate_subject *subject = &check->candidate_subject;
    const struct configuration *setup = &subject->setup;

    snprintf(ret_name, size, "%s/%s/%s/batch_size=%lld/threads=%lld%s%s%s", subject->workload,
             subject->engine, setup->precision ? setup->precision : "", setup->batch_size,
             setup->threads, subject->instance[0] ? "/" : "", subject->instance, metric);
}

struct point {
    const char *name, *unit, *words;
    struct metric metric;
};

static void write_range(struct json_writer *out, const struct member *row, const void *object)
{
    const struct metric *metric = &((const struct point *)object)->metric;
    char range[64];

    if (!has_interval(metric))
        return;
    snprintf(range, sizeof range, "%.6g", (metric->high - metric->low) / 2);
    jsonw_text(out, row->name, range);
}

static const char *const units[] = {"samples/s", "samples/$", NULL};

static const struct member point_rows[] = {
    {MEMBER(struct point, name), .filled = true},
    {MEMBER(struct point, unit), .words = units},
    {MEMBER_AS(struct point, "value", metric.value), .range = MEMBER_POSITIVE},
    {MEMBER_WRITTEN("range", MEMBER_TEXT, write_range), .optional = true,
     .pattern = "^[0-9.e+-]+$",
     .meaning = "Half of the 95 % interval; left out where it is not known."},
    {MEMBER_AS(struct point, "extra", words), .filled = true, .meaning = "The verdict in words."},
    {0},
};
const struct members benchmark_point_members = {.name = "BenchmarkPoint", .rows = point_rows};

static void write_point(struct json_writer *out, const struct gate_check *check, int unit,
                        const struct metric *metric)
{
    static const char *const metrics[] = {" samples/s", " samples/$"};
    char name[300];
    const struct point point = {name, units[unit], check->words, *metric};

    write_name(check, metrics[unit], sizeof name, name);
    members_write(out, NULL, &benchmark_point_members, &point);
}

void present_check_github(struct json_writer *out, const struct gate_check *check)
{
    struct metric speed, bargain;

    jsonw_open(out, NULL, '[');
    if (find_speed(check, &speed)) {
        write_point(out, check, 0, &speed);
        if (find_bargain(check, &speed, &bargain))
            write_point(out, check, 1, &bargain);
    }
    jsonw_close(out, ']');
}

static void write_tool_bound(struct json_writer *out, const struct member *row,
                             const void *object)
{
    if (has_interval(object))
        jsonw_number(out, row->name, MEMBER_VALUE(double, row, object));
}

static const struct member metric_rows[] = {
    {MEMBER(struct metric, value), .range = MEMBER_POSITIVE},
    {MEMBER_AS(struct metric, "lower_value", low), .optional = true, .write = write_tool_bound},
    {MEMBER_AS(struct metric, "upper_value", high), .optional = true, .write = write_tool_bound},
    {0},
};
const struct members bencher_metric_members = {.name = "BencherMetric", .rows = metric_rows};

void present_check_bencher(struct json_writer *out, const struct gate_check *check)
{
    struct metric speed, bargain;
    char name[300];

    write_name(check, "", sizeof name, name);
    jsonw_open(out, NULL, '{');
    if (find_speed(check, &speed)) {
        jsonw_open(out, name, '{');
        members_write(out, "throughput", &bencher_metric_members, &speed);
        if (find_bargain(check, &speed, &bargain))
            members_write(out, "samples_per_dollar", &bencher_metric_members, &bargain);
        jsonw_close(out, '}');
    }
    jsonw_close(out, '}');
}
