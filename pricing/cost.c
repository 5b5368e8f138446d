#include "pricing/cost.h"

#include <math.h>

static struct amount times(const struct amount *amount, double factor)
{
    return (struct amount){.value = amount->value * factor,
                           .low = amount->low * factor,
                           .high = amount->high * factor,
                           .has_interval = amount->has_interval};
}

/* What is fast takes little: the ends change places. */
static struct amount inverse(const struct amount *amount, double of)
{
    return (struct amount){.value = of / amount->value,
                           .low = amount->has_interval ? of / amount->high : 0,
                           .high = amount->has_interval ? of / amount->low : 0,
                           .has_interval = amount->has_interval};
}

bool cost_of(const struct amount *samples_per_second, double dollars_per_hour,
             struct cost *ret_cost)
{
    struct amount per_hour = times(samples_per_second, 3600);

    if (!(per_hour.value > 0) || !isfinite(per_hour.value) || !(dollars_per_hour > 0) ||
        !isfinite(dollars_per_hour))
        return false;
    if (!(per_hour.low > 0)) /* an interval down to nothing says nothing of the inverse */
        per_hour.has_interval = false;
    *ret_cost = (struct cost){
        .samples_per_dollar = times(&per_hour, 1 / dollars_per_hour),
        .dollars_per_million = inverse(&per_hour, MILLION_SAMPLES * dollars_per_hour),
        .hours_per_million = inverse(&per_hour, MILLION_SAMPLES),
    };
    return true;
}
