/* What happened to a run while its steps were measured, from the counters around the measured
 * steps and the canaries among them, and how much faster an idle machine would have been at most.
 *
 * A step that joins all threads waits for the last of them. So it loses at most the sum of what
 * its threads lose, and an idle machine is at most 1 / (1 - sum) times as fast: on two processors
 * nearly the truth (docs/number.md). A slower clock or memory has such a factor as well: the best
 * canary against the mean one. */
#pragma once

#include "engine/stats/summary.h"
#include "engine/trace/evidence.h"

/* Shares are of the time between the counters, summed over threads or processors; they may be
 * above 1. NaN: unknown, or too short a time. */
struct disturbance {
    double seconds;           /* between the counters */
    double stolen;            /* by the hypervisor */
    double throttled_periods; /* of the control group's quota */
    double throttled;         /* stopped by the quota */
    double waited;            /* ready, but waiting for a processor that others used */
    double paged;             /* page faults from a disk, 10 ms each */
    double worst; /* largest sum of the three processor shares in one of eight parts */
    double switches_first, switches_second; /* involuntary, a second, in both halves */
    double major_faults, swap_ins;
    double clock_drift_percent, copy_drift_percent; /* canary farthest from the median */
    double clock_gain, copy_gain;                   /* best canary / mean one; 1 or more */
};

/* The counters are read about once a second; uses the readings just around the measured steps. */
void disturbance_of(const struct evidence *evidence, const struct summary *summary,
                    struct disturbance *ret_disturbance);

/* 1 / (1 - share) for a share of the time; 1 if unknown. */
double disturbance_factor(double share);
