#include "engine/stats/interval.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "engine/stats/drift.h"

#include <assert.h>
#include <math.h>

#define BATCH_STEPS 10
#define BATCHES_MIN 9
#define BATCHES_MAX 100
#define BATCH_LAG1 0.2
#define MEMORY_ERRORS 2.0 /* by which the lag 1 of steps may be underestimated */
#define MEMORY_MAX 0.98
#define DEGREES_MIN 3 /* with fewer, t grows faster than a short trace is uncertain */
#define BLOCK_STEPS 5
#define BLOCKS_MAX 500
#define DECORRELATED 0.02
#define TALLY_MAX 2048

static size_t fill_batches(const long long *nanoseconds, size_t count, size_t length,
                           double *means)
{
    size_t batches = count / length;

    assert(batches > 1 && batches <= 2 * BATCHES_MAX); /* there is room for so many */
    for (size_t i = 0; i < batches; i++) {
        double sum = 0;

        for (size_t j = 0; j < length; j++)
            sum += (double)nanoseconds[i * length + j];
        means[i] = sum / (double)length;
    }
    return batches;
}

double interval_lag1(const long long *nanoseconds, size_t count)
{
    double sum = 0, squares = 0, products = 0, last = 0;

    for (size_t i = 0; i < count; i++)
        sum += (double)nanoseconds[i];
    sum /= (double)count;
    for (size_t i = 0; i < count; i++) {
        double here = (double)nanoseconds[i] - sum;

        squares += here * here;
        products += here * last;
        last = here;
    }
    return squares > 0 ? products / squares : 0;
}

/* Half-width by batch means. */
static double half_by_batches(const long long *nanoseconds, size_t count,
                              struct mean_interval *interval)
{
    double means[2 * BATCHES_MAX];
    size_t length = count / BATCHES_MAX > BATCH_STEPS ? count / BATCHES_MAX : BATCH_STEPS;

    for (;; length *= 2) {
        interval->batches = fill_batches(nanoseconds, count, length, means);
        interval->lag1 = stats_lag1(means, interval->batches);
        if (interval->lag1 < BATCH_LAG1 || count / (2 * length) < BATCHES_MIN)
            break;
    }
    interval->length = length;
    return stats_t95(interval->batches - 1) *
           sqrt(stats_variance(means, interval->batches) / (double)interval->batches);
}

/* Half-width by first-order autoregression. */
static double half_by_memory(const long long *nanoseconds, size_t count, double mean,
                             struct mean_interval *interval)
{
    double n = (double)count, squares = 0, lag1, worth, degrees;

    for (size_t i = 0; i < count; i++) {
        double off = (double)nanoseconds[i] - mean;

        squares += off * off;
    }
    lag1 = fmax(interval_lag1(nanoseconds, count), 0);
    lag1 = fmin(lag1 + (1 + 4 * lag1) / n, MEMORY_MAX); /* as in drift.c */
    interval->memory = fmin(lag1 + MEMORY_ERRORS * sqrt((1 - lag1 * lag1) / n), MEMORY_MAX);
    worth = fmax(n / drift_inflation(interval->memory), 2);
    /* What a variance of such steps is worth: they forget their squares sooner. */
    degrees = fmax(n * (1 - lag1 * lag1) / (1 + lag1 * lag1) - 1, DEGREES_MIN);
    /* Correlated steps scatter less around their own mean than around the truth. */
    return stats_t95((size_t)degrees) * sqrt(squares / (n - 1) / (1 - 1 / worth) / worth);
}

void interval_of_mean(const long long *nanoseconds, size_t count,
                      struct mean_interval *ret_interval)
{
    struct mean_interval interval = {0};
    struct drift drift;
    double sum = 0, mean, half;

    *ret_interval = interval;
    if (count < INTERVAL_STEPS_MIN)
        return;
    for (size_t i = 0; i < count; i++)
        sum += (double)nanoseconds[i];
    mean = sum / (double)count;
    half = half_by_batches(nanoseconds, count, &interval);
    half = fmax(half, half_by_memory(nanoseconds, count, mean, &interval));
    drift = drift_of(nanoseconds, count);
    if (drift.score > DRIFT_SEEN) {
        interval.drift_percent = 100 * drift.off;
        half += drift.off * mean;
    }
    interval.mean = (struct range){.known = half < mean, .low = mean - half, .high = mean + half};
    *ret_interval = interval;
}

/* Longer than the correlation of the steps, and few enough blocks to resample. */
static size_t block_of(const long long *nanoseconds, size_t count)
{
    double lag1 = interval_lag1(nanoseconds, count), memory = lag1;
    size_t block = BLOCK_STEPS, decorrelation = 1;

    while (block * block * block < count)
        block++;
    for (; memory > DECORRELATED && decorrelation < count / 4; decorrelation++)
        memory *= lag1;
    if (block < decorrelation)
        block = decorrelation;
    if (block < (count + BLOCKS_MAX - 1) / BLOCKS_MAX)
        block = (count + BLOCKS_MAX - 1) / BLOCKS_MAX;
    return block < count / 2 ? block : count / 2;
}

static int by_size(const void *left, const void *right)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;

    return (a > b) - (a < b);
}

/* How many steps of each resample are at or below the median. below[i] counts those among the
 * first i steps; it is overwritten by what the blocks that begin there have. */
static void interval_resample(unsigned *below, size_t count, size_t block, struct chance chance,
                              size_t counts[BOOTSTRAP_RESAMPLES])
{
    size_t blocks = (count + block - 1) / block, starts = count - block + 1;

    assert(block > 0 && block <= count);
    for (size_t start = 0; start < starts; start++)
        below[start] = below[start + block] - below[start];
    for (size_t i = 0; i < BOOTSTRAP_RESAMPLES; i++) {
        size_t sum = 0;

        for (size_t j = 0; j < blocks; j++)
            sum += below[chance_below(&chance, starts)];
        counts[i] = sum;
    }
}

/* The two counts that enclose 95 % of all. */
static void tails_of(size_t counts[BOOTSTRAP_RESAMPLES], size_t most, size_t ret_tails[2])
{
    const size_t ranks[] = {BOOTSTRAP_RESAMPLES / 40,
                            BOOTSTRAP_RESAMPLES - 1 - BOOTSTRAP_RESAMPLES / 40};
    unsigned tally[TALLY_MAX];

    if (most >= TALLY_MAX) {
        qsort(counts, BOOTSTRAP_RESAMPLES, sizeof *counts, by_size);
        ret_tails[0] = counts[ranks[0]];
        ret_tails[1] = counts[ranks[1]];
        return;
    }
    /* Of few steps there are few counts: to tally them is quicker than to sort. */
    memset(tally, 0, (most + 1) * sizeof *tally);
    for (size_t i = 0; i < BOOTSTRAP_RESAMPLES; i++) {
        assert(counts[i] <= most);
        tally[counts[i]]++;
    }
    for (size_t tail = 0; tail < COUNT(ranks); tail++) {
        size_t seen = 0, value = 0;

        while ((seen += tally[value]) <= ranks[tail])
            value++;
        ret_tails[tail] = value;
    }
}

static size_t rank_at(double share, size_t count)
{
    double rank = share * (double)count;

    if (rank < 0)
        return 0;
    return rank < (double)count ? (size_t)rank : count - 1;
}

/* Ranks from 0 between which the median lies. */
static void ranks_of(size_t counts[BOOTSTRAP_RESAMPLES], size_t block, double share, size_t count,
                     size_t ret_ranks[2])
{
    size_t tails[2], low, high;
    size_t blocks = (count + block - 1) / block, resampled = blocks * block;
    double least, most;
    /* The scatter of few blocks is as uncertain as of few values. */
    double wider = stats_t95(blocks - 1) / Z_95;

    tails_of(counts, resampled, tails);
    least = (double)tails[0] / (double)resampled;
    most = (double)tails[1] / (double)resampled;
    ret_ranks[0] = rank_at(0.5 - wider * (most - share), count);
    ret_ranks[1] = rank_at(0.5 + wider * (share - least), count);
    if (stats_median_ranks(count, &low, &high)) {
        if (ret_ranks[0] > low - 1)
            ret_ranks[0] = low - 1;
        if (ret_ranks[1] < high - 1)
            ret_ranks[1] = high - 1;
    }
    assert(ret_ranks[0] <= ret_ranks[1] && ret_ranks[1] < count);
}

void interval_of_median(const long long *nanoseconds, long long *items, size_t count,
                        struct chance chance, struct median_interval *ret_interval)
{
    static const struct median_interval none;
    size_t counts[BOOTSTRAP_RESAMPLES], ranks[2], block;
    AUTO(freep) unsigned *below = NULL;
    double median;

    *ret_interval = none;
    if (count < 6)
        return;
    below = xcalloc(count + 1, sizeof *below);
    median = stats_median(items, count);
    for (size_t i = 0; i < count; i++)
        below[i + 1] = below[i] + ((double)nanoseconds[i] <= median);
    block = block_of(nanoseconds, count);
    interval_resample(below, count, block, chance, counts);
    ranks_of(counts, block, (double)below[count] / (double)count, count, ranks);
    ret_interval->block = block;
    ret_interval->median = (struct range){.known = true,
                                          .low = (double)stats_select(items, count, ranks[0]),
                                          .high = (double)stats_select(items, count, ranks[1])};
}
