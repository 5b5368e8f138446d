#include "engine/warmup.h"

#include "engine/stats.h"

#include <math.h>
#include <string.h>

#define WINDOWS 3
#define SPAN (WINDOWS * WARMUP_WINDOW)
#define TOLERANCE 0.01
#define NOISE_SHARE 2.0 /* of the noise of single steps, that medians of five may differ by */
#define MAD_TO_SIGMA                                                                             \
    1.75                    /* of distances from a window's own median, which are a little short \
                             */
#define TREND_Z 1.6448536   /* two-sided 10 % */
#define DRIFT 0.02          /* that a slow-down is at least */
#define BATCHES 10          /* in each half, of the measured steps */
#define DRIFT_CERTAINTY 2.0 /* times the 95 % half-width */

static double median_of_window(const long long *window)
{
    long long items[WARMUP_WINDOW];

    memcpy(items, window, sizeof items);
    return stats_median(items, WARMUP_WINDOW);
}

/* Spread of single steps around the medians of their windows. */
static double noise(const long long *span, const double medians[WINDOWS])
{
    long long distances[SPAN];

    for (size_t i = 0; i < SPAN; i++)
        distances[i] = (long long)fabs((double)span[i] - medians[i / WARMUP_WINDOW]);
    return MAD_TO_SIGMA * stats_median(distances, SPAN);
}

static bool is_steady(const long long *span)
{
    double medians[WINDOWS], least, most, tolerance;

    for (size_t i = 0; i < WINDOWS; i++)
        medians[i] = median_of_window(span + i * WARMUP_WINDOW);
    least = fmin(medians[0], fmin(medians[1], medians[2]));
    most = fmax(medians[0], fmax(medians[1], medians[2]));
    tolerance = fmax(TOLERANCE * least, NOISE_SHARE * noise(span, medians));
    return most - least <= tolerance && fabs(stats_trend(span, SPAN)) < TREND_Z;
}

/* How many of the steps may be looked at before it is given up. */
static size_t limit_of(const long long *nanoseconds, size_t count, bool *ret_reached)
{
    long long spent = 0;
    size_t most = count < WARMUP_STEPS_MAX ? count : WARMUP_STEPS_MAX;

    *ret_reached = count >= WARMUP_STEPS_MAX;
    for (size_t i = 0; i < most; i++) {
        if (nanoseconds[i] > WARMUP_NS_MAX - spent) {
            *ret_reached = true;
            return i + 1;
        }
        spent += nanoseconds[i];
    }
    return most;
}

struct warmup warmup_detect(const long long *nanoseconds, size_t count)
{
    bool given_up;
    size_t limit = limit_of(nanoseconds, count, &given_up);

    for (size_t start = 1; start + SPAN <= limit; start += WARMUP_WINDOW)
        if (is_steady(nanoseconds + start))
            return (struct warmup){.decided = true, .steady = true, .steps = start};
    return (struct warmup){.decided = given_up, .steps = limit};
}

/* Mean and its squared standard error from batch means. */
static void mean_of_batches(const long long *nanoseconds, size_t length, double *ret_mean,
                            double *ret_error)
{
    double means[BATCHES];

    for (size_t i = 0; i < BATCHES; i++) {
        double sum = 0;

        for (size_t j = 0; j < length; j++)
            sum += (double)nanoseconds[i * length + j];
        means[i] = sum / (double)length;
    }
    *ret_mean = stats_mean(means, BATCHES);
    *ret_error = stats_variance(means, BATCHES) / BATCHES;
}

enum trace_class warmup_classify(const long long *nanoseconds, size_t first, size_t end,
                                 bool steady)
{
    size_t length = end > first ? (end - first) / (2 * BATCHES) : 0;
    double before, after, before_error, after_error;

    if (!steady)
        return TRACE_NO_STEADY_STATE;
    if (length >= 2) { /* fewer steps show no drift */
        mean_of_batches(nanoseconds + first, length, &before, &before_error);
        mean_of_batches(nanoseconds + end - BATCHES * length, length, &after, &after_error);
        double sure =
            DRIFT_CERTAINTY * stats_t95(2 * BATCHES - 2) * sqrt(before_error + after_error);

        if (after - before > fmax(DRIFT * before, sure))
            return TRACE_SLOW_DOWN;
        if (before - after > fmax(DRIFT * before, sure))
            return TRACE_WARM_UP;
    }
    return first > 1 ? TRACE_WARM_UP : TRACE_FLAT;
}

const char *trace_class_name(enum trace_class trace)
{
    static const char *const names[] = {[TRACE_FLAT] = "flat",
                                        [TRACE_WARM_UP] = "warm_up",
                                        [TRACE_SLOW_DOWN] = "slow_down",
                                        [TRACE_NO_STEADY_STATE] = "no_steady_state"};
    return names[trace];
}
