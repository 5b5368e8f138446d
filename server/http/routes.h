#pragma once

#include "server/base/metrics.h"
#include "server/http/router.h"

/* Every path we serve. */
extern const struct route routes[];
extern const size_t route_count;

/* What requests of a route are counted under. */
struct metrics_label route_label(size_t index);
