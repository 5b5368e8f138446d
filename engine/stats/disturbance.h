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

/* Shares are of the time that the counters enclose, summed up over threads or processors; they
 * may be above 1. NaN: not visible, or too short a time to say. */
struct disturbance {
    double seconds;           /* that the counters enclose */
    double stolen;            /* by the hypervisor */
    double throttled_periods; /* of the control group's quota */
    double throttled;         /* stopped by the quota */
    double waited;            /* ready, without a processor: others used it */
    double paged;             /* for pages from a disk, each taken for 10 ms */
    double worst; /* the three of processors together, where they were largest: in one of eight
                     parts */
    double switches_first, switches_second; /* involuntary, a second, in both halves */
    double major_faults, swap_ins;
    double clock_drift_percent, copy_drift_percent; /* farthest canary from their median */
    double clock_gain, copy_gain;                   /* best canary / mean one; 1 or more */
};

/* The counters are looked at about once a second; taken are those that enclose the measured
 * steps. */
void disturbance_of(const struct evidence *evidence, const struct summary *summary,
                    struct disturbance *ret_disturbance);

/* 1 / (1 - share) for a share of the time; 1 where it is not known. */
double disturbance_factor(double share);
