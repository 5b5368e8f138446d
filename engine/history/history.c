#include "engine/history/history.h"

#include "common/cleanup.h"
#include "common/error.h"
#include "common/memory.h"
#include "engine/history/change_points.h"
#include "engine/stats/stats.h"

#include <math.h>

#define PRICE_MOVED 0.005 /* a smaller price change does not explain a change */

const char *const history_measure_names[] = {"samples_per_second", "samples_per_dollar", NULL};
const char *const history_cause_names[] = {"version", "kernel", "microcode", "price", NULL};

/* The searched series: the runs with the measure, as points, and their indices. */
struct series {
    struct history_point *points; /* owned */
    size_t *runs;                 /* owned */
    size_t count;
    struct change_points changes;
};

static void series_clear(struct series *series)
{
    freep(&series->points);
    freep(&series->runs);
    change_points_clear(&series->changes);
}

static struct history_point point_of(const struct history_run *run, enum history_measure measure)
{
    struct history_point point = {
        .at_us = run->at_us,
        .value = measure == HISTORY_SPEED ? run->speed : run->speed * 3600 / run->dollars,
        .keys = {[CAUSE_VERSION] = run->version,
                 [CAUSE_KERNEL] = run->kernel,
                 [CAUSE_MICROCODE] = run->microcode}};

    if (run->low > 0 && run->high > run->low)
        point.sd = log(run->high / run->low) / (2 * Z_95);
    return point;
}

static void history_search(const struct history_run *runs, size_t count,
                           enum history_measure measure, struct series *series)
{
    series->points = xcalloc(count, sizeof *series->points);
    series->runs = xcalloc(count, sizeof *series->runs);
    for (size_t i = 0; i < count; i++) {
        if (measure == HISTORY_PER_DOLLAR && !(runs[i].dollars > 0))
            continue;
        series->points[series->count] = point_of(&runs[i], measure);
        series->runs[series->count++] = i;
    }
    change_points_find(series->points, series->count, &series->changes);
}

/* The levels on both sides of the `i`-th change: the first point of the old one, and one past the
 * last of the new one. */
static size_t before_of(const struct series *series, size_t i)
{
    return i > 0 ? series->changes.list[i - 1].first : 0;
}

static size_t end_of(const struct series *series, size_t i)
{
    return i + 1 < series->changes.count ? series->changes.list[i + 1].first : series->count;
}

static double mean_dollars(const struct history_run *runs, size_t from, size_t to)
{
    double sum = 0;
    size_t count = 0;

    for (size_t i = from; i < to; i++)
        if (runs[i].dollars > 0) {
            sum += runs[i].dollars;
            count++;
        }
    return count > 0 ? sum / (double)count : 0;
}

static struct history_change change_of(const struct history_run *runs,
                                       const struct series *series, size_t i,
                                       enum history_measure measure)
{
    const struct change_point *point = &series->changes.list[i];
    struct history_change change = {.measure = measure,
                                    .first = series->runs[point->first],
                                    .before = series->runs[before_of(series, i)],
                                    .end = series->runs[end_of(series, i) - 1] + 1,
                                    .ratio = point->ratio,
                                    .causes = point->explained};

    change.dollars_before = mean_dollars(runs, change.before, change.first);
    change.dollars_after = mean_dollars(runs, change.first, change.end);
    return change;
}

static bool price_moved(const struct history_change *change)
{
    return change->dollars_before > 0 && change->dollars_after > 0 &&
           fabs(log(change->dollars_after / change->dollars_before)) > PRICE_MOVED;
}

/* Whether the speeds of the points on both sides cannot be told apart, with 95 %. */
static bool speed_stayed(const struct history_run *runs, const struct series *series, size_t i,
                         double *room)
{
    size_t before = before_of(series, i), end = end_of(series, i);
    size_t first = series->changes.list[i].first;
    struct ratio ratio;

    for (size_t k = before; k < end; k++)
        room[k - before] = runs[series->runs[k]].speed;
    ratio = compare_runs(room + (first - before), end - first, room, first - before);
    return ratio.known && ratio.low <= 1 && 1 <= ratio.high;
}

/* The change of speed at the `i`-th change of the series, or one run away; NULL for none. */
static const struct history_change *history_change_near(const struct history_change *speeds,
                                                        size_t count, const struct series *series,
                                                        size_t i)
{
    size_t first = series->changes.list[i].first;

    for (size_t k = 0; k < count; k++)
        if (speeds[k].first >= series->runs[first - 1] &&
            speeds[k].first <= series->runs[first] + 1)
            return &speeds[k];
    return NULL;
}

/* Adds the changes that the price caused, alone or together with a change of speed. */
static void add_per_dollar(const struct history_run *runs, const struct series *series,
                           double *room, struct history_changes *changes)
{
    size_t speeds = changes->count;

    for (size_t i = 0; i < series->changes.count; i++) {
        struct history_change change = change_of(runs, series, i, HISTORY_PER_DOLLAR);
        const struct history_change *speed =
            history_change_near(changes->list, speeds, series, i);
        bool moved = price_moved(&change);

        if (speed && !moved)
            continue; /* the same change again */
        if (speed)
            change.causes = speed->causes | 1u << CAUSE_PRICE;
        else if (moved && speed_stayed(runs, series, i, room))
            change.causes = 1u << CAUSE_PRICE;
        changes->list[changes->count++] = change;
    }
}

static int by_time(const void *left, const void *right)
{
    const struct history_change *l = left, *r = right;

    if (l->first != r->first)
        return l->first < r->first ? -1 : 1;
    return (int)l->measure - (int)r->measure;
}

void history_changes_find(const struct history_run *runs, size_t count,
                          struct history_changes *ret_changes)
{
    AUTO(series_clear) struct series speed = {0}, per_dollar = {0};
    AUTO(freep) double *room = xcalloc(count, sizeof *room);
    struct history_changes changes = {0};

    history_search(runs, count, HISTORY_SPEED, &speed);
    history_search(runs, count, HISTORY_PER_DOLLAR, &per_dollar);
    changes.list = xcalloc(speed.changes.count + per_dollar.changes.count, sizeof *changes.list);
    for (; changes.count < speed.changes.count; changes.count++)
        changes.list[changes.count] = change_of(runs, &speed, changes.count, HISTORY_SPEED);
    add_per_dollar(runs, &per_dollar, room, &changes);
    qsort(changes.list, changes.count, sizeof *changes.list, by_time);
    *ret_changes = changes;
}

const char *history_attribution(unsigned causes)
{
    bool version = causes >> CAUSE_VERSION & 1, price = causes >> CAUSE_PRICE & 1;
    bool kernel = causes >> CAUSE_KERNEL & 1 || causes >> CAUSE_MICROCODE & 1;

    if (version + kernel + price > 1)
        return "several";
    return version ? "version" : kernel ? "kernel" : price ? "price" : "unknown";
}

void history_changes_clear(struct history_changes *changes)
{
    freep(&changes->list);
    changes->count = 0;
}
