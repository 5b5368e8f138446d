/* Counts and times requests, workers and maintenance, for /metrics. */
#pragma once

#include "common/bytes.h"

#include <stdbool.h>
#include <stddef.h>

struct metrics;

/* The labels of a counted request. */
struct metrics_label {
    const char *method, *pattern;
};
typedef struct metrics_label metrics_label_fn(size_t index);

/* Requests are counted by the index of their label. */
struct metrics *metrics_new(size_t label_count, metrics_label_fn *label_at);
void metrics_free(struct metrics *metrics);

/* Counts an answered request; an index beyond the labels counts as "none". */
void metrics_request(struct metrics *metrics, size_t label, int status, long long nanoseconds);

void metrics_worker_started(struct metrics *metrics);
void metrics_worker_failed(struct metrics *metrics);
void metrics_thinned(struct metrics *metrics, long long runs);

/* Sets whether a preemption notice stands. */
void metrics_preempted(struct metrics *metrics, bool preempted);

/* Adds the two lines above the values of a metric, in Prometheus' text format. The type is
 * "gauge" or "counter". */
bool metric_head(struct bytes *text, const char *name, const char *type, const char *help);

/* Adds a metric with one value. */
bool metric_value(struct bytes *text, const char *name, const char *type, const char *help,
                  long long value);

/* Adds all metrics that are counted here. */
bool metrics_write(struct metrics *metrics, struct bytes *text);
