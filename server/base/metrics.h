/* Counts and times what the server does, for /metrics. */
#pragma once

#include "common/bytes.h"

#include <stdbool.h>
#include <stddef.h>

struct metrics;

/* What a request is counted under. */
struct metrics_label {
    const char *method, *pattern;
};
typedef struct metrics_label metrics_label_fn(size_t index);

/* Requests are counted by the index of their label. */
struct metrics *metrics_new(size_t label_count, metrics_label_fn *label_at);
void metrics_free(struct metrics *metrics);

/* Counts an answered request; an index that is not below the count of labels counts as "none". */
void metrics_request(struct metrics *metrics, size_t label, int status, long long nanoseconds);

void metrics_worker_started(struct metrics *metrics);
void metrics_worker_failed(struct metrics *metrics);
void metrics_thinned(struct metrics *metrics, long long runs);

/* Whether the cloud takes this machine back. */
void metrics_preempted(struct metrics *metrics, bool preempted);

/* Adds what was counted, in Prometheus' text format. */
bool metrics_write(struct metrics *metrics, struct bytes *text);
