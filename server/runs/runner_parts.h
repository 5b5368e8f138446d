/* Inputs of the runner. */
#pragma once

#include "server/base/config.h"
#include "server/base/metrics.h"
#include "server/base/notifications.h"
#include "server/base/this_machine.h"
#include "server/runs/engines.h"
#include "server/runs/sweeper.h"

#include <stdbool.h>

struct runner_parts {
    const struct config *config;
    const struct engines *engines;
    struct this_machine *this_machine; /* stored by runner_start() */
    struct notifications *notifications;
    struct metrics *metrics;
    bool waits;            /* begins no run before the first runner_wake() */
    bool stops_for_little; /* ends a run when more time buys little: see PACE_LITTLE_MORE */
    const struct sweeper_repeats *repeats; /* NULL: none; fixed from the first runner_wake() on */
};
