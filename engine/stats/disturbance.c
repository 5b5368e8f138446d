/* Tested by tests/engine/stats/validity_test.c. */
#include "engine/stats/disturbance.h"

#include "common/clock.h"

#include <math.h>
#include <stdlib.h>

#define SHARES_NS (NS_PER_SECOND / 2) /* in less one scheduling decision is a large share */

/* The last observation before the measured steps, the first behind them, and one between. */
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
    return (struct frame){&all[first], &all[first + (last - first) / 2], &all[last]};
}

/* Counters that are not visible are -1, and what ended may take its count along. */
static double difference(long long before, long long after)
{
    if (before < 0 || after < 0)
        return NAN;
    return after > before ? (double)(after - before) : 0;
}

static double switches_a_second(const struct observation *before, const struct observation *after)
{
    double seconds = (double)(after->taken_ns - before->taken_ns) / (double)NS_PER_SECOND;
    double switches = difference(before->involuntary_switches, after->involuntary_switches);

    return seconds > 0 ? switches / seconds : 0;
}

static void read_counters(const struct frame *frame, long long threads,
                          struct disturbance *disturbance)
{
    const struct observation *before = frame->before, *after = frame->after;
    double ns = (double)(after->taken_ns - before->taken_ns);
    double ticks = difference(before->cpu_ticks, after->cpu_ticks);

    disturbance->seconds = ns / (double)NS_PER_SECOND;
    if (ticks > 0 && ns >= SHARES_NS)
        disturbance->steal_percent =
            100 * difference(before->steal_ticks, after->steal_ticks) / ticks;
    disturbance->throttled_periods =
        difference(before->throttled_periods, after->throttled_periods);
    if (ns > 0)
        disturbance->throttled_percent =
            100 * difference(before->throttled_us, after->throttled_us) * 1000 / ns;
    if (ns >= SHARES_NS)
        disturbance->waited_percent = 100 * difference(before->waited_ns, after->waited_ns) /
                                      (ns * (double)(threads > 0 ? threads : 1));
    if (frame->middle != before) {
        disturbance->switches_first = switches_a_second(before, frame->middle);
        disturbance->switches_second = switches_a_second(frame->middle, after);
    }
    disturbance->major_faults = difference(before->major_faults, after->major_faults);
    disturbance->swap_ins = difference(before->swap_ins, after->swap_ins);
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Percent that the farthest of them is from their median. */
static double drift(double *speeds, size_t count)
{
    double median, least, most;

    if (count < 2)
        return NAN;
    qsort(speeds, count, sizeof *speeds, by_size);
    median = (speeds[(count - 1) / 2] + speeds[count / 2]) / 2;
    least = speeds[0];
    most = speeds[count - 1];
    return 100 * fmax(median - least, most - median) / median;
}

#define SONGS_MAX 512

/* Long runs have more canaries than are needed: evenly chosen ones speak for all. */
static void read_canaries(const struct evidence *evidence, struct disturbance *disturbance)
{
    double clocks[SONGS_MAX], copies[SONGS_MAX];
    size_t count = evidence->reading_count < SONGS_MAX ? evidence->reading_count : SONGS_MAX;

    for (size_t i = 0; i < count; i++) {
        const struct canary_reading *reading =
            &evidence->readings[i * evidence->reading_count / count];

        clocks[i] = reading->canary.hertz;
        copies[i] = reading->canary.copy_bytes_per_second;
    }
    disturbance->clock_drift_percent = drift(clocks, count);
    disturbance->copy_drift_percent = drift(copies, count);
}

void disturbance_of(const struct evidence *evidence, const struct summary *summary,
                    long long threads, struct disturbance *ret_disturbance)
{
    struct disturbance disturbance = {NAN, NAN, NAN, NAN, NAN, 0, 0, NAN, NAN, NAN, NAN};

    if (evidence->observation_count > 1) {
        struct frame frame = frame_of(evidence, summary);

        read_counters(&frame, threads, &disturbance);
    }
    read_canaries(evidence, &disturbance);
    *ret_disturbance = disturbance;
}
