#include "engine/stats/pool.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "common/order.h"
#include "engine/stats/stats.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define GRID 12
#define GRID_LEAST 0.002 /* of a spread; then each 1.7 times the one before, up to 0.7 */
#define GRID_STEP 1.7
#define NO_WEIGHT 1e-7
#define STRAY 5.0   /* standard deviations from the median of a machine's runs */
#define STRAY_MIN 3 /* runs, below which none can be told to be the stray one */

/* A machine for one spread between runs. */
struct machine {
    double precision; /* of its mean */
    double mean, stretch;
    double variance; /* of the mean, by noise alone */
    double squares;  /* weighted distances of its runs from the mean */
    double logs;     /* of its runs' variances, summed up */
};

/* One point of the grid. */
struct part {
    double weight; /* its logarithm first */
    double mean, variance, stretch;
    double run_spread, machine_spread;
};

struct pool {
    struct pool_run *runs; /* owned: strays drawn near */
    struct machine *machines;
    double *room;
    size_t count, machine_count;
    enum pool_target target;
};

struct pool_run pool_run_of(const struct measure *measure)
{
    double value = log(measure->value);

    return (struct pool_run){.value = value,
                             .error = measure->low > 0 ? (value - log(measure->low)) / Z_95 : 0,
                             .stretch = compare_stretch(measure)};
}

static void pool_clear(struct pool *pool)
{
    freep(&pool->runs);
    freep(&pool->machines);
    freep(&pool->room);
}

static double pool_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, order_ascending);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static void draw_strays_near(struct pool *pool, size_t machine)
{
    double middle, distance;
    size_t count = 0;

    for (size_t i = 0; i < pool->count; i++)
        if (pool->runs[i].machine == machine)
            pool->room[count++] = pool->runs[i].value;
    if (count < STRAY_MIN)
        return;
    middle = pool_median(pool->room, count);
    for (size_t i = 0; i < count; i++)
        pool->room[i] = fabs(pool->room[i] - middle);
    distance = STRAY * fmax(MAD_TO_SIGMA * pool_median(pool->room, count), POOL_RUN_SPREAD);
    for (size_t i = 0; i < pool->count; i++) {
        struct pool_run *run = &pool->runs[i];

        if (run->machine == machine)
            run->value = fmin(fmax(run->value, middle - distance), middle + distance);
    }
}

static void pool_make(const struct pool_run *runs, size_t count, struct pool *pool)
{
    for (size_t i = 0; i < count; i++)
        if (runs[i].machine >= pool->machine_count)
            pool->machine_count = runs[i].machine + 1;
    pool->count = count;
    pool->runs = xmemdup(runs, count * sizeof *pool->runs);
    pool->machines = xcalloc(pool->machine_count, sizeof *pool->machines);
    pool->room = xcalloc(count, sizeof *pool->room);
    for (size_t i = 0; i < pool->machine_count; i++)
        draw_strays_near(pool, i);
}

static double pool_square(double value)
{
    return value * value;
}

/* For its weight, half of a run's stretch counts as error. */
static double run_variance(const struct pool_run *run, double run_spread)
{
    return pool_square(run->error) + pool_square(run_spread) + pool_square(run->stretch / 2);
}

/* The means of all machines, with this spread of runs. */
static void fill_machines(struct pool *pool, double run_spread)
{
    for (size_t j = 0; j < pool->machine_count; j++)
        pool->machines[j] = (struct machine){0};
    for (size_t i = 0; i < pool->count; i++) {
        const struct pool_run *run = &pool->runs[i];
        struct machine *machine = &pool->machines[run->machine];
        double variance = run_variance(run, run_spread);

        machine->precision += 1 / variance;
        machine->mean += run->value / variance;
        machine->stretch += run->stretch / variance;
        machine->variance +=
            (pool_square(run->error) + pool_square(run_spread)) / pool_square(variance);
        machine->logs += log(variance);
    }
    for (size_t j = 0; j < pool->machine_count; j++) {
        struct machine *machine = &pool->machines[j];

        assert(machine->precision > 0); /* it has a run */
        machine->mean /= machine->precision;
        machine->stretch /= machine->precision;
        machine->variance /= pool_square(machine->precision);
    }
    for (size_t i = 0; i < pool->count; i++) {
        const struct pool_run *run = &pool->runs[i];
        struct machine *machine = &pool->machines[run->machine];

        machine->squares +=
            pool_square(run->value - machine->mean) / run_variance(run, run_spread);
    }
}

/* Of a machine's mean around the value of its type. */
static double machine_variance(const struct machine *machine, double machine_spread)
{
    return 1 / machine->precision + pool_square(machine_spread);
}

/* Log-likelihood of the runs with both spreads, with the type's value integrated out. */
static double pool_likelihood(const struct pool *pool, double machine_spread, double sum,
                              double mean)
{
    double log_likelihood = -log(sum) / 2;

    for (size_t j = 0; j < pool->machine_count; j++) {
        const struct machine *machine = &pool->machines[j];
        double variance = machine_variance(machine, machine_spread);

        log_likelihood -= (machine->logs + log(machine->precision) + machine->squares +
                           log(variance) + pool_square(machine->mean - mean) / variance) /
                          2;
    }
    return log_likelihood;
}

/* What is estimated of machines that were seen is their own mean, where machines differ much, and
 * the mean of all where they are alike: `own` is the part of its own. */
static struct part look_at(const struct pool *pool, double run_spread, double machine_spread)
{
    struct part part = {.run_spread = run_spread, .machine_spread = machine_spread};
    double count = (double)pool->machine_count, sum = 0, mean = 0, shared;

    for (size_t j = 0; j < pool->machine_count; j++) {
        double weight = 1 / machine_variance(&pool->machines[j], machine_spread);

        sum += weight;
        mean += weight * pool->machines[j].mean;
    }
    mean /= sum;
    shared = 1 - pool_square(machine_spread) * sum / count;
    part.weight = pool_likelihood(pool, machine_spread, sum, mean);
    for (size_t j = 0; j < pool->machine_count; j++) {
        const struct machine *machine = &pool->machines[j];
        double weight = 1 / machine_variance(machine, machine_spread), of_it = 0;
        double own = pool_square(machine_spread) * weight;

        weight /= sum;
        if (pool->target == POOL_SEEN) {
            weight = own / count + shared * weight;
            of_it = 1 / count;
        }
        part.mean += weight * machine->mean;
        part.stretch += weight * machine->stretch;
        part.variance += pool_square(weight) * machine->variance +
                         pool_square((weight - of_it) * machine_spread);
    }
    return part;
}

/* Logarithm of what the prior gives to a point of the grid, up to a constant: the density of
 * half-t, times the distance of the points, which grows as they do. */
static double pool_prior(double spread, double scale)
{
    return log(spread) -
           (POOL_DEGREES + 1) / 2.0 * log(1 + pool_square(spread / scale) / POOL_DEGREES);
}

static size_t fill_parts(struct pool *pool, struct part *parts)
{
    size_t count = 0;
    double run_spread = GRID_LEAST;

    for (int i = 0; i < GRID; i++, run_spread *= GRID_STEP) {
        double machine_spread = GRID_LEAST;
        /* With a single machine the spread between machines does not matter. */
        int points = pool->machine_count > 1 ? GRID : 1;

        fill_machines(pool, run_spread);
        for (int j = 0; j < points; j++, machine_spread *= GRID_STEP) {
            parts[count] = look_at(pool, run_spread, machine_spread);
            parts[count].weight += pool_prior(run_spread, POOL_RUN_SPREAD);
            if (pool->machine_count > 1)
                parts[count].weight += pool_prior(machine_spread, POOL_MACHINE_SPREAD);
            count++;
        }
    }
    return count;
}

/* How many have a weight; they stand first. */
static size_t pool_weigh(struct part *parts, size_t count)
{
    double most = -INFINITY, sum = 0;
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        most = fmax(most, parts[i].weight);
    for (size_t i = 0; i < count; i++) {
        parts[i].weight = exp(parts[i].weight - most);
        if (parts[i].weight < NO_WEIGHT)
            continue;
        sum += parts[i].weight;
        parts[kept++] = parts[i];
    }
    assert(kept > 0); /* the most likely one weighs 1 */
    for (size_t i = 0; i < kept; i++)
        parts[i].weight /= sum;
    return kept;
}

/* Where so much of the parts together lies below. */
static double pool_quantile(const struct part *parts, size_t count, double share)
{
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < count; i++) {
        double far = 4 * sqrt(parts[i].variance);

        low = fmin(low, parts[i].mean - far);
        high = fmax(high, parts[i].mean + far);
    }
    for (int i = 0; i < 40; i++) {
        double middle = (low + high) / 2, below = 0;

        for (size_t k = 0; k < count; k++)
            below += parts[k].weight *
                     erfc((parts[k].mean - middle) / sqrt(2 * parts[k].variance)) / 2;
        if (below < share)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

struct pool_estimate pool_runs(const struct pool_run *runs, size_t count, enum pool_target target)
{
    AUTO(pool_clear) struct pool pool = {.target = target};
    struct pool_estimate estimate = {0};
    struct part parts[GRID * GRID];
    double stretch = 0;
    size_t part_count;

    assert(count > 0);
    pool_make(runs, count, &pool);
    part_count = pool_weigh(parts, fill_parts(&pool, parts));
    for (size_t i = 0; i < part_count; i++) {
        estimate.value += parts[i].weight * parts[i].mean;
        estimate.run_spread += parts[i].weight * parts[i].run_spread;
        estimate.machine_spread += parts[i].weight * parts[i].machine_spread;
        stretch += parts[i].weight * parts[i].stretch;
    }
    estimate.low = pool_quantile(parts, part_count, 0.025);
    estimate.high = pool_quantile(parts, part_count, 0.975) + stretch;
    return estimate;
}
