#include "engine/stats/standing.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "common/order.h"
#include "engine/machine/vm.h"
#include "engine/stats/compare.h"
#include "engine/stats/pool.h"

#include <assert.h>
#include <math.h>

const char *const standing_level_names[] = {"none", "point", "steps", "runs", "vms", NULL};

#define ENOUGH 3 /* of machines, of runs */

/* The runs of one machine among those that count. */
struct group {
    const char *vm;
    double *values;
    size_t count;
};

static double standing_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, order_ascending);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static bool is_valid(const struct run_result *run_result)
{
    return (run_result->validity == VALIDITY_OK || run_result->validity == VALIDITY_WARN) &&
           run_result->value > 0 && isfinite(run_result->value);
}

static void count_in(const struct run_result *run_result, struct standing *standing)
{
    if (standing->runs++ == 0)
        standing->first_us = standing->newest_us = run_result->at_us;
    standing->warned += run_result->validity == VALIDITY_WARN;
    standing->imported += run_result->provenance == PROVENANCE_IMPORTED;
    if (run_result->at_us < standing->first_us)
        standing->first_us = run_result->at_us;
    if (run_result->at_us > standing->newest_us)
        standing->newest_us = run_result->at_us;
}

static void standing_keep_value(double value, struct standing *standing)
{
    if (standing->value_count < STANDING_VALUES_MAX)
        standing->values[standing->value_count++] = value;
}

/* How unsure a single value is: the mean of what their own intervals say. */
static double noise_of(const struct run_result *results, size_t count)
{
    double sum = 0;
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        if (!(results[i].low > 0))
            continue;
        sum += (log(results[i].high) - log(results[i].low)) / (2 * Z_95);
        found++;
    }
    return found > 0 ? sum / (double)found : 0;
}

/* Fills the groups of the runs whose machine has a name of this kind; returns how many. */
static size_t group_by(enum vm_kind kind, const struct run_result *results, size_t count,
                       struct group *groups, double *room)
{
    size_t group_count = 0;

    for (size_t i = 0; i < count; i++) {
        size_t at = 0;

        if (vm_kind_of(results[i].vm) != kind)
            continue;
        while (at < group_count && strcmp(groups[at].vm, results[i].vm) != 0)
            at++;
        if (at == group_count)
            groups[group_count++] =
                (struct group){.vm = results[i].vm, .values = room + at * count};
        groups[at].values[groups[at].count++] = results[i].value;
    }
    return group_count;
}

/* Fills the groups by the kind of name that most machines have; returns how many there are. */
static size_t group_by_machine(const struct run_result *results, size_t count,
                               struct group *groups, double *room)
{
    size_t by_serial = group_by(VM_SERIAL, results, count, groups, room);
    size_t by_instance = group_by(VM_INSTANCE, results, count, groups, room);
    size_t most = by_instance;

    if (by_serial > by_instance)
        most = group_by(VM_SERIAL, results, count, groups, room);
    return most > 0 ? most : count > 0;
}

/* What a standing is computed from. */
struct sources {
    struct run_result *runs; /* those that count */
    size_t count;
    struct group *groups; /* of machines */
    double *room, *values;
};

static void sources_clear(struct sources *sources)
{
    freep(&sources->runs);
    freep(&sources->groups);
    freep(&sources->room);
    freep(&sources->values);
}

static void sources_make(const struct run_result *results, size_t count, struct sources *sources)
{
    sources->runs = xcalloc(count, sizeof *sources->runs);
    sources->groups = xcalloc(count, sizeof *sources->groups);
    sources->room = xcalloc(count * count, sizeof *sources->room);
    sources->values = xcalloc(count, sizeof *sources->values);
    for (size_t i = 0; i < count; i++)
        if (is_valid(&results[i]))
            sources->runs[sources->count++] = results[i];
}

static bool take_sure_ones(struct sources *sources)
{
    size_t kept = 0;

    for (size_t i = 0; i < sources->count; i++)
        if (sources->runs[i].low > 0)
            sources->runs[kept++] = sources->runs[i];
    sources->count = kept;
    return kept > 0;
}

/* Runs without an interval stand aside for those with one, unless most machines have no other. */
static void standing_choose(const struct run_result *results, size_t count,
                            struct sources *sources, struct standing *standing)
{
    AUTO(sources_clear) struct sources sure = {0};
    size_t all;

    sources_make(results, count, sources);
    sources_make(results, count, &sure);
    standing->invalid = (long long)(count - sources->count);
    all = group_by_machine(sources->runs, sources->count, sources->groups, sources->room);
    standing->vms = (long long)all;
    if (take_sure_ones(&sure)) {
        size_t machines = group_by_machine(sure.runs, sure.count, sure.groups, sure.room);

        if (all <= 2 * machines) {
            struct sources aside = *sources;

            standing->vms = (long long)machines;
            standing->too_short = (long long)(sources->count - sure.count);
            *sources = sure;
            sure = aside;
        }
    }
    for (size_t i = 0; i < sources->count; i++)
        count_in(&sources->runs[i], standing);
}

/* A median of each machine that has a name, or one of all runs. */
static void keep_machines(const struct run_result *results, size_t count, struct group *groups,
                          double *values, struct standing *standing)
{
    for (long long i = 0; i < standing->vms && i < STANDING_VALUES_MAX; i++)
        if (groups[i].count > 0)
            standing->machines[standing->machine_count++] =
                standing_median(groups[i].values, groups[i].count);
    for (size_t i = 0; i < count; i++)
        values[i] = results[i].value;
    if (standing->machine_count == 0 && count > 0)
        standing->machines[standing->machine_count++] = standing_median(values, count);
}

/* Which of the groups a run belongs to; `count` where its machine has no name of their kind. */
static size_t group_of(const struct run_result *run, const struct group *groups, size_t count)
{
    size_t at = 0;

    while (at < count && (!groups[at].vm || strcmp(groups[at].vm, run->vm) != 0))
        at++;
    return at;
}

/* What the estimate is made of; returns how many runs take part. Where machines are compared, a
 * run that may be of any of them does not. */
static size_t fill_pool(const struct sources *from, const struct standing *standing,
                        struct pool_run *runs)
{
    size_t count = 0, machines = (size_t)standing->vms;

    for (size_t i = 0; i < from->count; i++) {
        const struct run_result *run = &from->runs[i];
        const struct measure speed = {run->value, run->low, run->high};
        size_t machine = group_of(run, from->groups, machines);

        if (machine == machines && standing->level == STANDING_VMS)
            continue;
        runs[count] = pool_run_of(&speed);
        runs[count++].machine = machine < machines ? machine : 0;
    }
    return count;
}

/* Standard deviation of the values that are kept, against their mean. */
static double spread_of(const struct standing *standing)
{
    double mean = stats_mean(standing->values, standing->value_count);

    return sqrt(stats_variance(standing->values, standing->value_count)) / mean;
}

static void keep_values(const struct sources *from, struct standing *standing)
{
    if (standing->level == STANDING_VMS)
        for (long long i = 0; i < standing->vms; i++)
            standing_keep_value(standing_median(from->groups[i].values, from->groups[i].count),
                                standing);
    else
        for (size_t i = 0; i < from->count; i++)
            standing_keep_value(from->runs[i].value, standing);
}

/* How many runs are sure of themselves, and on how many machines, decides what may be said. */
static enum standing_level level_of(const struct sources *from, const struct standing *standing)
{
    if (standing->vms >= ENOUGH)
        return STANDING_VMS;
    if (from->count >= ENOUGH)
        return STANDING_RUNS;
    if (from->count == 0 || !(from->runs[0].low > 0))
        return from->count == 0 ? STANDING_NONE : STANDING_POINT;
    return from->count == 1 ? STANDING_STEPS : STANDING_RUNS;
}

static void sum_up(const struct sources *from, struct standing *standing)
{
    AUTO(freep) struct pool_run *runs = xcalloc(from->count, sizeof *runs);
    struct pool_estimate estimate;

    standing->level = level_of(from, standing);
    if (standing->level == STANDING_NONE)
        return;
    estimate = pool_runs(runs, fill_pool(from, standing, runs),
                         standing->level == STANDING_VMS ? POOL_TYPE : POOL_SEEN);
    keep_values(from, standing);
    standing->value = from->count == 1 ? from->runs[0].value : exp(estimate.value);
    if (standing->level == STANDING_POINT)
        return;
    standing->spread = spread_of(standing);
    standing->run_spread = estimate.run_spread;
    standing->machine_spread = standing->vms > 1 ? estimate.machine_spread : 0;
    standing->interval =
        (struct range){.known = true, .low = exp(estimate.low), .high = exp(estimate.high)};
}

void standing_compute(const struct run_result *results, size_t count,
                      struct standing *ret_standing)
{
    AUTO(sources_clear) struct sources from = {0};
    struct standing standing = {.level = STANDING_NONE};

    standing_choose(results, count, &from, &standing);
    sum_up(&from, &standing);
    standing.noise = noise_of(from.runs, from.count);
    keep_machines(from.runs, from.count, from.groups, from.values, &standing);
    assert((standing.level == STANDING_NONE) == (standing.runs == 0));
    assert(standing.level <= STANDING_POINT ||
           (standing.vms > 0 && standing.interval.low <= standing.interval.high));
    *ret_standing = standing;
}

struct rank_row standing_rank_row(const struct standing *standing, double vm_spread)
{
    const struct range *own = &standing->interval;
    bool machines = standing->level == STANDING_VMS;
    size_t degrees = POOL_DEGREES - 1 + (size_t)(machines ? standing->vms : standing->runs);
    double part = (log(own->high) - log(own->low)) / 2 / stats_t95(degrees), whole = part;

    assert(own->known);
    if (!machines && vm_spread > 0)
        whole = hypot(part, vm_spread / sqrt((double)standing->vms));
    /* Only the part that was measured has few degrees of freedom (Welch and Satterthwaite). */
    return (struct rank_row){.estimate = (log(own->high) + log(own->low)) / 2,
                             .error = whole,
                             .degrees = (double)degrees * pow(whole / part, 4)};
}

struct range standing_between(const struct standing *standing, double vm_spread)
{
    double half, low, high;

    if (!standing->interval.known || !(standing->interval.low > 0))
        return (struct range){.known = false};
    if (standing->level == STANDING_VMS || !(vm_spread > 0))
        return standing->interval;
    low = log(standing->value) - log(standing->interval.low);
    high = log(standing->interval.high) - log(standing->value);
    half = Z_95 * vm_spread / sqrt((double)standing->vms);
    return (struct range){.known = true,
                          .low = standing->value * exp(-hypot(low, half)),
                          .high = standing->value * exp(hypot(high, half))};
}
