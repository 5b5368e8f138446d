#include "pricing/cost.h"

#include <math.h>
#include <stddef.h>

static struct amount cost_times(const struct amount *amount, double factor)
{
    return (struct amount){.value = amount->value * factor,
                           .low = amount->low * factor,
                           .high = amount->high * factor,
                           .has_interval = amount->has_interval};
}

/* The inverse of an interval: its ends change places. */
static struct amount cost_inverse(const struct amount *amount, double of)
{
    return (struct amount){.value = of / amount->value,
                           .low = amount->has_interval ? of / amount->high : 0,
                           .high = amount->has_interval ? of / amount->low : 0,
                           .has_interval = amount->has_interval};
}

bool cost_of(const struct amount *samples_per_second, double dollars_per_hour,
             struct cost *ret_cost)
{
    struct amount per_hour = cost_times(samples_per_second, 3600);

    if (!(per_hour.value > 0) || !isfinite(per_hour.value) || !(dollars_per_hour > 0) ||
        !isfinite(dollars_per_hour))
        return false;
    if (!(per_hour.low > 0)) /* an interval down to 0 has no inverse */
        per_hour.has_interval = false;
    *ret_cost = (struct cost){
        .samples_per_dollar = cost_times(&per_hour, 1 / dollars_per_hour),
        .dollars_per_million = cost_inverse(&per_hour, MILLION_SAMPLES * dollars_per_hour),
        .hours_per_million = cost_inverse(&per_hour, MILLION_SAMPLES),
    };
    return true;
}

const char *const cost_part_names[] = {
    [COST_NOTHING] = "nothing", [COST_SPEED] = "throughput", [COST_PRICE] = "price", NULL};

static bool is_amount(double value)
{
    return value > 0 && isfinite(value);
}

/* Whether its logarithm is finite. */
static bool has_spread(const struct amount *amount)
{
    return amount->has_interval && is_amount(amount->low) && amount->low <= amount->value &&
           amount->value <= amount->high && isfinite(amount->high);
}

/* a / b, with the errors of both as independent. */
static struct amount cost_quotient(const struct amount *a, const struct amount *b)
{
    double value = a->value / b->value;
    double down = hypot(log(a->value / a->low), log(b->high / b->value));
    double up = hypot(log(a->high / a->value), log(b->value / b->low));

    return (struct amount){
        .value = value, .low = value * exp(-down), .high = value * exp(up), .has_interval = true};
}

static enum cost_part cost_wider(const struct amount *speed, const struct amount *price)
{
    double of_speed = speed->has_interval ? log(speed->high / speed->low) : 0;
    double of_price = price->has_interval ? log(price->high / price->low) : 0;

    if (!(of_speed > 0) && !(of_price > 0))
        return COST_NOTHING;
    return of_speed >= of_price ? COST_SPEED : COST_PRICE;
}

/* A price without an interval was paid and is exact. A speed without one has an unknown error: an
 * interval from the price alone would be too narrow. */
bool cost_of_spread(const struct amount *samples_per_second,
                    const struct amount *dollars_per_hour, struct cost *ret_cost,
                    enum cost_part *ret_dominates)
{
    struct amount speed = *samples_per_second;
    struct cost cost;

    speed.has_interval = has_spread(&speed);
    if (!cost_of(&speed, dollars_per_hour->value, &cost))
        return false;
    *ret_dominates = COST_NOTHING;
    if (speed.has_interval && !dollars_per_hour->has_interval) {
        *ret_dominates = cost_wider(&speed, dollars_per_hour);
    } else if (speed.has_interval && has_spread(dollars_per_hour)) {
        struct amount per_hour = cost_times(&speed, 3600);

        cost.samples_per_dollar = cost_quotient(&per_hour, dollars_per_hour);
        cost.dollars_per_million = cost_inverse(&cost.samples_per_dollar, MILLION_SAMPLES);
        *ret_dominates = cost_wider(&speed, dollars_per_hour);
    } else {
        cost.samples_per_dollar = (struct amount){.value = cost.samples_per_dollar.value};
        cost.dollars_per_million = (struct amount){.value = cost.dollars_per_million.value};
    }
    *ret_cost = cost;
    return true;
}

double cost_break_even_speed(double dollars_per_hour, double other_samples_per_dollar)
{
    if (!is_amount(dollars_per_hour) || !is_amount(other_samples_per_dollar))
        return NAN;
    return dollars_per_hour * other_samples_per_dollar / 3600;
}

double cost_break_even_price(double samples_per_second, double other_samples_per_dollar)
{
    if (!is_amount(samples_per_second) || !is_amount(other_samples_per_dollar))
        return NAN;
    return samples_per_second * 3600 / other_samples_per_dollar;
}
