#include "engine/stats/compare.h"

#include "common/cleanup.h"
#include "engine/stats/stats.h"

#include <assert.h>
#include <math.h>

static struct ratio from_logs(double mean, double half)
{
    return (struct ratio){.known = isfinite(half),
                          .value = exp(mean),
                          .low = exp(mean - half),
                          .high = exp(mean + half)};
}

/* Distance from the value to an end of the interval, in logarithms. */
static double way_down(const struct measure *measure)
{
    return measure->low > 0 ? log(measure->value) - log(measure->low) : INFINITY;
}

static double way_up(const struct measure *measure)
{
    return measure->low > 0 ? log(measure->high) - log(measure->value) : INFINITY;
}

struct ratio compare_measures(const struct measure *a, const struct measure *b)
{
    double mean = log(a->value) - log(b->value);
    double down = hypot(way_down(a), way_up(b)), up = hypot(way_up(a), way_down(b));

    return (struct ratio){.known = isfinite(down) && isfinite(up),
                          .value = exp(mean),
                          .low = exp(mean - down),
                          .high = exp(mean + up)};
}

double compare_stretch(const struct measure *measure)
{
    return measure->low > 0 ? fmax(way_up(measure) - way_down(measure), 0) : 0;
}

void compare_widen(struct ratio *ratio, double a_stretch, double b_stretch)
{
    assert(a_stretch >= 0 && b_stretch >= 0);
    ratio->low *= exp(-b_stretch);
    ratio->high *= exp(a_stretch);
}

/* Mean of the logarithms, and its squared standard error. */
static void compare_describe(const double *values, size_t count, double *ret_mean,
                             double *ret_error)
{
    double mean = 0, squares = 0;

    assert(count > 1);
    for (size_t i = 0; i < count; i++)
        mean += log(values[i]) / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (log(values[i]) - mean) * (log(values[i]) - mean);
    *ret_mean = mean;
    *ret_error = squares / (double)(count - 1) / (double)count;
}

struct ratio compare_runs(const double *a, size_t a_count, const double *b, size_t b_count)
{
    double a_mean, a_error, b_mean, b_error, sum, degrees;

    if (a_count < 2 || b_count < 2)
        return (struct ratio){.known = false};
    compare_describe(a, a_count, &a_mean, &a_error);
    compare_describe(b, b_count, &b_mean, &b_error);
    sum = a_error + b_error;
    degrees = sum > 0 ? sum * sum /
                            (a_error * a_error / (double)(a_count - 1) +
                             b_error * b_error / (double)(b_count - 1))
                      : (double)(a_count + b_count - 2);
    return from_logs(a_mean - b_mean, stats_t95((size_t)degrees) * sqrt(sum));
}

struct ratio compare_pairs(const double *a, const double *b, size_t count)
{
    double mean = 0, squares = 0;

    if (count < 2)
        return (struct ratio){.known = false};
    for (size_t i = 0; i < count; i++)
        mean += log(a[i] / b[i]) / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (log(a[i] / b[i]) - mean) * (log(a[i] / b[i]) - mean);
    return from_logs(mean,
                     stats_t95(count - 1) * sqrt(squares / (double)(count - 1) / (double)count));
}

enum comparison compare_judge(const struct ratio *ratio, double margin)
{
    if (!ratio->known)
        return COMPARE_TIED;
    if (ratio->low > 1 + margin)
        return COMPARE_BETTER;
    return ratio->high < 1 - margin ? COMPARE_WORSE : COMPARE_TIED;
}

const char *const comparison_names[] = {[COMPARE_TIED] = "cannot_be_told_apart",
                                        [COMPARE_BETTER] = "better",
                                        [COMPARE_WORSE] = "worse",
                                        NULL};

const char *compare_name(enum comparison comparison)
{
    return comparison_names[comparison];
}

double compare_detectable(const struct ratio *ratio, double margin)
{
    assert(ratio->known);
    return margin + (ratio->high - ratio->low) / ratio->value;
}
