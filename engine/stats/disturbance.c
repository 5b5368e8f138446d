/* Tested by tests/engine/stats/validity_test.c. */
#include "engine/stats/disturbance.h"

#include "common/clock.h"
#include "common/order.h"
#include "engine/machine/proc.h"

#include <math.h>
#include <stdlib.h>

#define SHARES_NS (NS_PER_SECOND / 2) /* in less one scheduling decision is a large share */
#define FAULT_SECONDS 0.01 /* that a page is taken to cost: a slow network disk's reading */
#define PARTS 8
#define SHARE_MAX 0.95 /* beyond it the factor says nothing more */

/* The last observation before the measured steps, the first after them, and one between. An ended
 * thread takes its counts along: then the observation before that is the last. */
struct frame {
    const struct observation *before, *middle, *after;
};

static struct frame frame_of(const struct evidence *evidence, const struct summary *summary)
{
    const struct observation *all = evidence->observations;
    long long end = summary->first_measured + summary->measured_steps;
    size_t first = 0, last = evidence->observation_count - 1;

    for (size_t i = 0; i < evidence->observation_count; i++)
        if (all[i].steps <= summary->first_measured)
            first = i;
    for (size_t i = evidence->observation_count; i-- > first + 1;)
        if (all[i].steps >= end)
            last = i;
    while (last > first + 1 && all[last].waited_ns < all[last - 1].waited_ns)
        last--;
    return (struct frame){&all[first], &all[first + (last - first) / 2], &all[last]};
}

/* Unknown counters are -1, and an ended thread takes its counts along. */
static double disturbance_difference(long long before, long long after)
{
    if (before < 0 || after < 0)
        return NAN;
    return after > before ? (double)(after - before) : 0;
}

static double switches_a_second(const struct observation *before, const struct observation *after)
{
    double seconds = (double)(after->taken_ns - before->taken_ns) / (double)NS_PER_SECOND;
    double switches =
        disturbance_difference(before->involuntary_switches, after->involuntary_switches);

    return seconds > 0 ? switches / seconds : 0;
}

/* Of the time between them; NaN where it is too short. */
static double disturbance_share(double seconds_lost, const struct observation *before,
                                const struct observation *after)
{
    long long ns = after->taken_ns - before->taken_ns;

    return ns >= SHARES_NS ? seconds_lost * (double)NS_PER_SECOND / (double)ns : NAN;
}

static double disturbance_stolen(const struct observation *before,
                                 const struct observation *after)
{
    return disturbance_share(disturbance_difference(before->steal_ticks, after->steal_ticks) /
                                 PROC_TICKS_A_SECOND,
                             before, after);
}

static double disturbance_throttled(const struct observation *before,
                                    const struct observation *after)
{
    double us = disturbance_difference(before->throttled_us, after->throttled_us);

    /* The kernel's own count says when, so the shortest time has a share. */
    return us * 1000 / fmax((double)(after->taken_ns - before->taken_ns), 1);
}

static double disturbance_waited(const struct observation *before,
                                 const struct observation *after)
{
    return disturbance_share(disturbance_difference(before->waited_ns, after->waited_ns) /
                                 (double)NS_PER_SECOND,
                             before, after);
}

static double or_none(double share_lost)
{
    return isnan(share_lost) ? 0 : share_lost;
}

/* The largest loss among parts of an eighth of the time or more. */
static double find_worst(const struct frame *frame)
{
    long long part = (frame->after->taken_ns - frame->before->taken_ns) / PARTS;
    const struct observation *from = frame->before;
    double worst = 0;

    for (const struct observation *at = from + 1; at <= frame->after; at++) {
        if (at->taken_ns - from->taken_ns < (part > SHARES_NS ? part : SHARES_NS))
            continue;
        worst = fmax(worst, or_none(disturbance_stolen(from, at)) +
                                or_none(disturbance_throttled(from, at)) +
                                or_none(disturbance_waited(from, at)));
        from = at;
    }
    return worst;
}

static void read_counters(const struct frame *frame, struct disturbance *disturbance)
{
    const struct observation *before = frame->before, *after = frame->after;

    disturbance->seconds = (double)(after->taken_ns - before->taken_ns) / (double)NS_PER_SECOND;
    disturbance->stolen = disturbance_stolen(before, after);
    disturbance->throttled_periods =
        disturbance_difference(before->throttled_periods, after->throttled_periods);
    disturbance->throttled = disturbance_throttled(before, after);
    disturbance->waited = disturbance_waited(before, after);
    disturbance->worst = find_worst(frame);
    if (frame->middle != before) {
        disturbance->switches_first = switches_a_second(before, frame->middle);
        disturbance->switches_second = switches_a_second(frame->middle, after);
    }
    disturbance->major_faults = disturbance_difference(before->major_faults, after->major_faults);
    disturbance->swap_ins = disturbance_difference(before->swap_ins, after->swap_ins);
    disturbance->paged = (or_none(disturbance->major_faults) + or_none(disturbance->swap_ins)) *
                         FAULT_SECONDS / fmax(disturbance->seconds, FAULT_SECONDS);
}

/* The farthest canary from the median in percent, and the best against the mean. */
static double disturbance_drift(double *speeds, size_t count, double *ret_gain)
{
    double median, least, most, sum = 0;

    if (count < 2)
        return NAN;
    qsort(speeds, count, sizeof *speeds, order_ascending);
    median = (speeds[(count - 1) / 2] + speeds[count / 2]) / 2;
    least = speeds[0];
    most = speeds[count - 1];
    for (size_t i = 0; i < count; i++)
        sum += speeds[i];
    *ret_gain = most * (double)count / sum;
    return 100 * fmax(median - least, most - median) / median;
}

#define CANARIES_MAX 512

/* Long runs have more canaries than needed: evenly chosen ones are enough. */
static void read_canaries(const struct evidence *evidence, struct disturbance *disturbance)
{
    double clocks[CANARIES_MAX], copies[CANARIES_MAX];
    size_t count =
        evidence->reading_count < CANARIES_MAX ? evidence->reading_count : CANARIES_MAX;

    for (size_t i = 0; i < count; i++) {
        const struct canary_reading *reading =
            &evidence->readings[i * evidence->reading_count / count];

        clocks[i] = reading->canary.hertz;
        copies[i] = reading->canary.copy_bytes_per_second;
    }
    disturbance->clock_drift_percent = disturbance_drift(clocks, count, &disturbance->clock_gain);
    disturbance->copy_drift_percent = disturbance_drift(copies, count, &disturbance->copy_gain);
}

void disturbance_of(const struct evidence *evidence, const struct summary *summary,
                    struct disturbance *ret_disturbance)
{
    struct disturbance disturbance = {.stolen = NAN,
                                      .throttled_periods = NAN,
                                      .throttled = NAN,
                                      .waited = NAN,
                                      .major_faults = NAN,
                                      .swap_ins = NAN,
                                      .clock_gain = 1,
                                      .copy_gain = 1};

    if (evidence->observation_count > 1) {
        struct frame frame = frame_of(evidence, summary);

        read_counters(&frame, &disturbance);
    }
    read_canaries(evidence, &disturbance);
    *ret_disturbance = disturbance;
}

double disturbance_factor(double share)
{
    return isnan(share) ? 1 : 1 / (1 - fmin(fmax(share, 0), SHARE_MAX));
}
