#include "engine/summary.h"

#include "common/cleanup.h"

static int by_size(const void *left, const void *right)
{
    long long a = *(const long long *)left, b = *(const long long *)right;

    return (a > b) - (a < b);
}

static double median(const long long *sorted, size_t count)
{
    double high = (double)sorted[count / 2];

    return count % 2 ? high : ((double)sorted[count / 2 - 1] + high) / 2;
}

bool summary_compute(const struct steps *steps, size_t warmup, long long batch_size,
                     struct summary *ret_summary, struct error *err)
{
    if (steps->count <= warmup)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "the run ended within its warm-up: %zu of %zu steps, none measured",
                         steps->count, warmup);

    size_t measured = steps->count - warmup;
    AUTO(freep) long long *sorted = malloc(measured * sizeof *sorted);
    long long nanoseconds = 0;

    if (!sorted)
        return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    for (size_t i = 0; i < measured; i++) {
        sorted[i] = steps->items[warmup + i].nanoseconds;
        nanoseconds += sorted[i];
    }
    qsort(sorted, measured, sizeof *sorted, by_size);
    double seconds = (double)nanoseconds / 1e9;

    *ret_summary = (struct summary){
        .measured_steps = (long long)measured,
        .measured_seconds = seconds,
        .samples_per_second = (double)(batch_size * (long long)measured) / seconds,
        .median_step_seconds = median(sorted, measured) / 1e9,
    };
    return true;
}
