#include "engine/stats/stall.h"

#include <assert.h>

static void stall_order_pair(long long *low, long long *high)
{
    long long kept = *low;

    if (kept <= *high)
        return;
    *low = *high;
    *high = kept;
}

static long long median_of_five(const long long *steps)
{
    long long a = steps[0], b = steps[1], c = steps[2], d = steps[3], e = steps[4];

    stall_order_pair(&a, &b);
    stall_order_pair(&d, &e);
    stall_order_pair(&a, &d); /* a is not above the median now, and e not below */
    stall_order_pair(&b, &e);
    stall_order_pair(&b, &c);
    stall_order_pair(&c, &d);
    stall_order_pair(&b, &c);
    return c;
}

/* The median of the five steps to which `step` belongs. */
static double median_at(const long long *nanoseconds, size_t count, size_t step)
{
    size_t first = step / STALL_BATCH * STALL_BATCH;

    assert(step < count && count >= STALL_BATCH);
    if (first + STALL_BATCH > count)
        first = count - STALL_BATCH;
    return (double)median_of_five(nanoseconds + first);
}

bool stall_is_in(const long long *nanoseconds, size_t count)
{
    if (count < STALL_BATCH)
        return false;
    for (size_t i = 0; i < count; i++)
        if ((double)nanoseconds[i] > STALL_FACTOR * median_at(nanoseconds, count, i))
            return true;
    return false;
}

double step_view_at(const struct step_view *view, size_t step)
{
    double value = (double)view->nanoseconds[step], median;

    if (!view->tamed || view->count < STALL_BATCH)
        return value;
    median = median_at(view->nanoseconds, view->count, step);
    return value > STALL_FACTOR * median ? median : value;
}
