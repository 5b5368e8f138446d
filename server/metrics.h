/* Counts and times what the server does, for /metrics. */
#pragma once

#include "common/bytes.h"
#include "server/router.h"

#include <stdbool.h>
#include <stddef.h>

struct metrics;

struct metrics *metrics_new(const struct route *routes, size_t route_count);
void metrics_free(struct metrics *metrics);

/* A request was answered; `route` is NULL when none was found. */
void metrics_request(struct metrics *metrics, const struct route *route, int status,
                     long long nanoseconds);

void metrics_worker_started(struct metrics *metrics);
void metrics_worker_failed(struct metrics *metrics);
void metrics_thinned(struct metrics *metrics, long long runs);

/* Whether the cloud takes this machine back. */
void metrics_leaving(struct metrics *metrics, bool leaving);

/* Adds what was counted, in Prometheus' text format. */
bool metrics_write(struct metrics *metrics, struct bytes *text);
