#pragma once

#include "server/base/metrics.h"
#include "server/http/router.h"

/* Every path of the server. */
extern const struct route routes[];
extern const size_t route_count;

/* Labels of a route's metrics. */
struct metrics_label route_label(size_t index);
