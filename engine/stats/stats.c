#include "engine/stats/stats.h"

#include <assert.h>
#include <math.h>

static void stats_swap(long long *left, long long *right)
{
    long long kept = *left;

    *left = *right;
    *right = kept;
}

/* The middle one of first, middle and last: sorted input is not the worst case. */
static long long pivot_of(const long long *items, size_t low, size_t high)
{
    long long a = items[low], b = items[low + (high - low) / 2], c = items[high];

    if ((a <= b && b <= c) || (c <= b && b <= a))
        return b;
    return (b <= a && a <= c) || (c <= a && a <= b) ? a : c;
}

long long stats_select(long long *items, size_t count, size_t rank)
{
    size_t low = 0, high = count - 1;

    assert(rank < count);
    while (low < high) {
        long long pivot = pivot_of(items, low, high);
        size_t i = low, j = high;

        for (;;) {
            while (items[i] < pivot)
                i++;
            while (items[j] > pivot)
                j--;
            if (i >= j)
                break;
            stats_swap(&items[i++], &items[j--]);
        }
        /* Everything up to j is at most the pivot, everything behind it at least. */
        if (items[j] > pivot)
            j--;
        if (rank <= j)
            high = j;
        else
            low = j + 1;
    }
    return items[rank];
}

double stats_median(long long *items, size_t count)
{
    long long high = stats_select(items, count, count / 2), low = items[0];

    if (count % 2)
        return (double)high;
    /* What is before the rank is not larger: the next smaller one is the largest there. */
    for (size_t i = 1; i < count / 2; i++)
        if (items[i] > low)
            low = items[i];
    return ((double)low + (double)high) / 2;
}

double stats_mean(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

double stats_variance(const double *values, size_t count)
{
    double mean = stats_mean(values, count), sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return count < 2 ? 0 : sum / (double)(count - 1);
}

double stats_lag1(const double *values, size_t count)
{
    double mean = stats_mean(values, count), squares = 0, products = 0;

    for (size_t i = 0; i < count; i++) {
        double here = values[i] - mean;

        squares += here * here;
        if (i > 0)
            products += here * (values[i - 1] - mean);
    }
    return squares > 0 ? products / squares : 0;
}

double stats_t95(size_t degrees)
{
    static const double table[] = {
        12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004,
        2.262157,  2.228139, 2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905,
        2.109816,  2.100922, 2.093024, 2.085963, 2.079614, 2.073873, 2.068658, 2.063899,
        2.059539,  2.055529, 2.051831, 2.048407, 2.045230, 2.042272,
    };
    const double z = Z_95, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    const double n = (double)degrees;

    if (degrees == 0)
        return INFINITY;
    if (degrees <= sizeof table / sizeof table[0])
        return table[degrees - 1];
    /* Fisher's expansion; six digits from here on. */
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

bool stats_median_ranks(size_t count, size_t *ret_low, size_t *ret_high)
{
    /* The largest rank with at most 2.5 % of the binomial distribution below it. */
    double share = 1, below = 0;
    size_t low = 0;

    if (count < 6)
        return false;
    /* Powers of two vanish beyond a thousand; there the normal distribution is as good. */
    if (count > 1000) {
        double half = Z_95 / 2 * sqrt((double)count);

        *ret_low = (size_t)((double)count / 2 - half);
        *ret_high = count + 1 - *ret_low;
        return true;
    }
    for (size_t i = 0; i < count; i++)
        share /= 2;
    while (below + share <= 0.025) {
        below += share;
        share *= (double)(count - low) / (double)(low + 1);
        low++;
    }
    assert(low > 0 && low <= count / 2);
    *ret_low = low;
    *ret_high = count + 1 - low;
    return true;
}

void stats_wilson(long long hits, long long trials, double *ret_low, double *ret_high)
{
    const double z = Z_95, n = (double)trials;
    double share, centre, half;

    *ret_low = 0;
    *ret_high = 1;
    if (trials < 1)
        return;
    assert(hits >= 0 && hits <= trials);
    share = (double)hits / n;
    centre = (share + z * z / (2 * n)) / (1 + z * z / n);
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    *ret_low = hits == 0 ? 0 : centre - half;
    *ret_high = hits == trials ? 1 : centre + half;
}
