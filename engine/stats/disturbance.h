/* What happened to a run while its steps were measured: differences between the counters around
 * the measured steps, and the drift of the canaries among them. */
#pragma once

#include "engine/stats/summary.h"
#include "engine/trace/evidence.h"

/* NaN: not visible, or too short a time to say. */
struct disturbance {
    double seconds;           /* that the counters enclose */
    double steal_percent;     /* of the time of all processors */
    double throttled_periods; /* of the control group's quota */
    double throttled_percent; /* of the time */
    double waited_percent;    /* of the time of the threads: ready, without a processor */
    double switches_first, switches_second; /* involuntary, a second, in both halves */
    double major_faults, swap_ins;
    double clock_drift_percent, copy_drift_percent; /* farthest canary from their median */
};

/* The counters are looked at about once a second; taken are those that enclose the measured
 * steps. `threads` that computed, 0 unknown. */
void disturbance_of(const struct evidence *evidence, const struct summary *summary,
                    long long threads, struct disturbance *ret_disturbance);
