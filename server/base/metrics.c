#include "server/base/metrics.h"

#include "common/cleanup.h"
#include "common/memory.h"

#include <stdatomic.h>

static const double bounds[] = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                0.1,    0.25,  0.5,    1,     2.5,  5,     10};

#define STATUS_CLASSES 6 /* 0 unused, 1xx .. 5xx */

struct label_metrics {
    atomic_llong by_class[STATUS_CLASSES];
    atomic_llong buckets[COUNT(bounds) + 1];
    atomic_llong nanoseconds;
};

struct metrics {
    metrics_label_fn *label_at;
    size_t label_count;
    atomic_llong workers_started, workers_failed, thinned_runs;
    atomic_bool preempted;
    struct label_metrics by_label[]; /* one more than labels: for requests without */
};

struct metrics *metrics_new(size_t label_count, metrics_label_fn *label_at)
{
    struct metrics *metrics =
        xcalloc(1, sizeof *metrics + (label_count + 1) * sizeof metrics->by_label[0]);

    if (!metrics)
        return NULL;
    metrics->label_at = label_at;
    metrics->label_count = label_count;
    return metrics;
}

void metrics_free(struct metrics *metrics)
{
    free(metrics);
}

void metrics_request(struct metrics *metrics, size_t label, int status, long long nanoseconds)
{
    size_t index = label < metrics->label_count ? label : metrics->label_count;
    struct label_metrics *counted = &metrics->by_label[index];
    int class = status / 100 < STATUS_CLASSES ? status / 100 : 0;
    size_t bucket = 0;

    while (bucket < COUNT(bounds) && (double)nanoseconds / 1e9 > bounds[bucket])
        bucket++;
    atomic_fetch_add_explicit(&counted->by_class[class], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counted->buckets[bucket], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counted->nanoseconds, nanoseconds, memory_order_relaxed);
}

void metrics_worker_started(struct metrics *metrics)
{
    atomic_fetch_add_explicit(&metrics->workers_started, 1, memory_order_relaxed);
}

void metrics_worker_failed(struct metrics *metrics)
{
    atomic_fetch_add_explicit(&metrics->workers_failed, 1, memory_order_relaxed);
}

void metrics_thinned(struct metrics *metrics, long long runs)
{
    atomic_fetch_add_explicit(&metrics->thinned_runs, runs, memory_order_relaxed);
}

void metrics_preempted(struct metrics *metrics, bool preempted)
{
    metrics->preempted = preempted;
}

bool metric_head(struct bytes *text, const char *name, const char *type, const char *help)
{
    return bytes_printf(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

bool metric_value(struct bytes *text, const char *name, const char *type, const char *help,
                  long long value)
{
    return metric_head(text, name, type, help) && bytes_printf(text, "%s %lld\n", name, value);
}

static long long metrics_load(atomic_llong *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static const char *method_of(const struct metrics *metrics, size_t index)
{
    return index < metrics->label_count ? metrics->label_at(index).method : "other";
}

static const char *pattern_of(const struct metrics *metrics, size_t index)
{
    return index < metrics->label_count ? metrics->label_at(index).pattern : "none";
}

static bool write_counts(struct metrics *metrics, struct bytes *text)
{
    bool ok =
        metric_head(text, "pennyworth_http_requests_total", "counter", "Requests answered.");

    for (size_t i = 0; ok && i <= metrics->label_count; i++)
        for (int class = 1; ok && class < STATUS_CLASSES; class ++) {
            long long count = metrics_load(&metrics->by_label[i].by_class[class]);

            if (count > 0)
                ok = bytes_printf(text,
                                  "pennyworth_http_requests_total{method=\"%s\",route=\"%s\","
                                  "status=\"%dxx\"} %lld\n",
                                  method_of(metrics, i), pattern_of(metrics, i), class, count);
        }
    return ok;
}

static bool write_histogram(struct metrics *metrics, size_t i, struct bytes *text)
{
    struct label_metrics *counted = &metrics->by_label[i];
    const char *method = method_of(metrics, i), *pattern = pattern_of(metrics, i);
    long long sum = 0;
    bool ok = true;

    for (size_t bucket = 0; ok && bucket < COUNT(bounds); bucket++) {
        sum += metrics_load(&counted->buckets[bucket]);
        ok = bytes_printf(text,
                          "pennyworth_http_request_duration_seconds_bucket{method=\"%s\","
                          "route=\"%s\",le=\"%g\"} %lld\n",
                          method, pattern, bounds[bucket], sum);
    }
    sum += metrics_load(&counted->buckets[COUNT(bounds)]);
    return ok &&
           bytes_printf(text,
                        "pennyworth_http_request_duration_seconds_bucket{method=\"%s\","
                        "route=\"%s\",le=\"+Inf\"} %lld\n"
                        "pennyworth_http_request_duration_seconds_sum{method=\"%s\","
                        "route=\"%s\"} %.9f\n"
                        "pennyworth_http_request_duration_seconds_count{method=\"%s\","
                        "route=\"%s\"} %lld\n",
                        method, pattern, sum, method, pattern,
                        (double)metrics_load(&counted->nanoseconds) / 1e9, method, pattern, sum);
}

static bool is_used(struct metrics *metrics, size_t i)
{
    for (size_t bucket = 0; bucket <= COUNT(bounds); bucket++)
        if (metrics_load(&metrics->by_label[i].buckets[bucket]) > 0)
            return true;
    return false;
}

bool metrics_write(struct metrics *metrics, struct bytes *text)
{
    bool ok = write_counts(metrics, text) &&
              metric_value(text, "pennyworth_spot_notice", "gauge",
                           "1 when the cloud takes this machine back.", metrics->preempted) &&
              metric_head(text, "pennyworth_http_request_duration_seconds", "histogram",
                          "Time from the first line of a request to the end of its answer.");

    for (size_t i = 0; ok && i <= metrics->label_count; i++)
        if (is_used(metrics, i))
            ok = write_histogram(metrics, i, text);
    return ok &&
           metric_value(text, "pennyworth_worker_starts_total", "counter", "Workers started.",
                        metrics_load(&metrics->workers_started)) &&
           metric_value(text, "pennyworth_worker_failures_total", "counter",
                        "Workers that ended badly.", metrics_load(&metrics->workers_failed)) &&
           metric_value(text, "pennyworth_thinned_runs_total", "counter",
                        "Old runs most of whose steps were dropped.",
                        metrics_load(&metrics->thinned_runs));
}
