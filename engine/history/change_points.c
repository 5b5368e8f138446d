#include "engine/history/change_points.h"

#include "common/cleanup.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/order.h"
#include "engine/stats/drift.h"
#include "engine/stats/stats.h"

#include <math.h>

#define PERMUTATIONS 999
#define HITS_MAX 9 /* (1 + 9) / (1 + 999) is one in a hundred: with more it is not a change */
#define SURELY 1.5
#define LAG1_MAX 0.9
#define LAG1_SHARE 0.8 /* of the estimate: all of it would hide changes where it is too high */
/* Twice what the logarithm of the likelihood loses at most between the place that is found and
 * the true one, in nineteen of twenty histories. */
#define PLACE_95 7.35
#define SCALE 1.0483580 /* of the median distance of two normal neighbours to their deviation */

/* A logarithm and how much it counts. */
struct weighed {
    double value, weight;
};

/* Median distance of two points at a given gap; a few changes of level do not affect it. */
static double distance_of(const struct weighed *points, size_t count, size_t apart, double *room)
{
    for (size_t i = apart; i < count; i++)
        room[i - apart] = fabs(points[i].value - points[i - apart].value);
    qsort(room, count - apart, sizeof *room, order_ascending);
    return room[(count - apart) / 2];
}

/* The same on average, where what is far beyond the median counts as three medians. */
static double square_distance(const struct weighed *points, size_t count, size_t apart,
                              double *room)
{
    double most = 3 * distance_of(points, count, apart, room), sum = 0;

    for (size_t i = 0; i < count - apart; i++)
        sum += fmin(room[i], most) * fmin(room[i], most);
    return sum / (double)(count - apart);
}

/* By how much neighbours that are alike raise the squared contrast; 1 where they are not. Points
 * that are two apart differ by 1 + lag 1 times what neighbours do, squared. */
static double inflation_of(const struct weighed *points, size_t count, double *room)
{
    double near = square_distance(points, count, 1, room);
    double lag1 = near > 0 ? square_distance(points, count, 2, room) / near - 1 : 0;

    return drift_inflation(fmin(fmax(LAG1_SHARE * lag1, 0), LAG1_MAX));
}

/* A point less sure than the others' scatter counts less. */
static void change_weigh(const struct history_point *points, size_t count,
                         struct weighed *weighed, double *room)
{
    double scatter;

    for (size_t i = 0; i < count; i++)
        weighed[i].value = log(points[i].value);
    scatter = SCALE * distance_of(weighed, count, 1, room);
    for (size_t i = 0; i < count; i++) {
        double square = scatter * scatter + points[i].sd * points[i].sd;

        weighed[i].weight = square > 0 ? scatter * scatter / square : 1;
    }
    if (!(scatter > 0)) /* most neighbours are equal */
        for (size_t i = 0; i < count; i++)
            weighed[i].weight = 1;
}

/* The stretch that differs most from the rest, for the points that both rest on. */
struct stretch {
    size_t from, to;
    double contrast; /* squared */
};

static bool is_level(size_t points)
{
    return points == 0 || points >= CHANGE_SIDE_MIN;
}

/* Sums of weights, and of weighted distances from the mean, of the points before each. */
static void add_up(const struct weighed *points, size_t count, struct weighed *sums)
{
    double weight = 0, sum = 0;

    for (size_t i = 0; i < count; i++) {
        weight += points[i].weight;
        sum += points[i].weight * points[i].value;
    }
    sums[0] = (struct weighed){0};
    for (size_t i = 0; i < count; i++)
        sums[i + 1] = (struct weighed){
            .value = sums[i].value + points[i].weight * (points[i].value - sum / weight),
            .weight = sums[i].weight + points[i].weight};
}

static struct stretch find_stretch(const struct weighed *points, size_t count,
                                   struct weighed *sums)
{
    struct stretch best = {.contrast = 0};
    double all;

    add_up(points, count, sums);
    all = sums[count].weight;
    for (size_t from = 0; from + CHANGE_SIDE_MIN <= count; from++) {
        if (!is_level(from))
            continue;
        /* A stretch from the first point on is the rest of one to the last point. */
        for (size_t to = from + CHANGE_SIDE_MIN; to <= count - (from == 0); to++) {
            double weight = sums[to].weight - sums[from].weight;
            double off = sums[to].value - sums[from].value;
            double contrast = off * off * all / (weight * (all - weight));

            if (contrast > best.contrast && is_level(count - to))
                best = (struct stretch){from, to, contrast};
        }
    }
    return best;
}

static void change_shuffle(struct chance *chance, struct weighed *points, size_t count)
{
    for (size_t i = count - 1; i > 0; i--) {
        size_t other = chance_below(chance, i + 1);
        struct weighed kept = points[i];

        points[i] = points[other];
        points[other] = kept;
    }
}

/* Memory for the search, each of as many as there are points and one. */
struct room {
    struct weighed *shuffled, *sums;
    double *distances;
};

/* The largest possible contrast: each level without noise. */
static double all_contrast(const struct weighed *points, size_t count)
{
    double weight = 0, sum = 0, squares = 0;

    for (size_t i = 0; i < count; i++) {
        weight += points[i].weight;
        sum += points[i].weight * points[i].value;
    }
    for (size_t i = 0; i < count; i++)
        squares += points[i].weight * (points[i].value - sum / weight) *
                   (points[i].value - sum / weight);
    return squares;
}

/* Whether hardly any other order of the points has such a contrast. No order explains more than
 * all: in a short history others, inflated, may soon explain as much as any change could. So an
 * order counts only if it comes near the contrast for the noise that is left, too; which decides
 * where a change explains more than a third of all. */
static bool is_change(const struct weighed *points, size_t count, double contrast,
                      double inflation, const struct room *room)
{
    struct chance chance = chance_from("change points");
    double all = all_contrast(points, count), noise = fmax(0, all - contrast);
    double least = contrast * (1 - 1e-9);
    int hits = 0;

    memcpy(room->shuffled, points, count * sizeof *points);
    for (int i = 0; i < PERMUTATIONS && hits <= HITS_MAX; i++) {
        double other;

        change_shuffle(&chance, room->shuffled, count);
        other = find_stretch(room->shuffled, count, room->sums).contrast * inflation;
        hits +=
            other >= least && SURELY * other * noise >= least * fmax(0, all - other / inflation);
    }
    return hits <= HITS_MAX;
}

/* A part of the history not tested yet. */
struct part {
    size_t from, to;
};

/* Marks the first point of each level. Parts wait in `waiting`, as many as points at most. */
static void mark_changes(const struct weighed *points, size_t count, const struct room *room,
                         struct part *waiting, bool *is_first)
{
    double inflation = inflation_of(points, count, room->distances);
    size_t left = 1;

    waiting[0] = (struct part){0, count};
    while (left > 0) {
        struct part part = waiting[--left];
        size_t length = part.to - part.from;
        struct stretch found;

        if (length < 2 * CHANGE_SIDE_MIN)
            continue;
        found = find_stretch(points + part.from, length, room->sums);
        if (!(found.contrast > 0) ||
            !is_change(points + part.from, length, found.contrast, inflation, room))
            continue;
        found.from += part.from;
        found.to += part.from;
        is_first[found.from] = found.from > 0;
        is_first[found.to] = true; /* of the last point + 1 too, which is not read */
        if (found.from > part.from)
            waiting[left++] = (struct part){part.from, found.from};
        waiting[left++] = (struct part){found.from, found.to};
        if (found.to < part.to)
            waiting[left++] = (struct part){found.to, part.to};
    }
}

static bool is_same(const char *left, const char *right)
{
    return left && right ? strcmp(left, right) == 0 : left == right;
}

/* Squared distances of the logarithms from the means of two levels with that border. */
static double left_over(const double *values, struct part levels, size_t border)
{
    double mean = 0, squares = 0;

    for (size_t i = levels.from; i < levels.to; i++) {
        size_t end = i < border ? border : levels.to;

        if (i == levels.from || i == border) {
            mean = 0;
            for (size_t k = i; k < end; k++)
                mean += log(values[k]) / (double)(end - i);
        }
        squares += (log(values[i]) - mean) * (log(values[i]) - mean);
    }
    return squares;
}

/* Whether the change may also be there: within the 95 % region of its place. */
static bool may_be_at(const double *values, struct part levels, size_t at, size_t other)
{
    double found = left_over(values, levels, at);
    double noise = found / (double)(levels.to - levels.from - 2);

    return other + 1 == at || other == at || other == at + 1 ||
           left_over(values, levels, other) - found <= PLACE_95 * noise;
}

/* Whether the key changed once between two levels, where their border may be. */
static bool change_explains(const struct history_point *points, const double *values,
                            struct part levels, size_t at, size_t key)
{
    size_t changes = 0, changed_at = 0;

    for (size_t i = levels.from + 1; i < levels.to; i++)
        if (!is_same(points[i - 1].keys[key], points[i].keys[key])) {
            changes++;
            changed_at = i;
        }
    return changes == 1 && may_be_at(values, levels, at, changed_at);
}

static size_t next_first(const bool *is_first, size_t at, size_t count)
{
    for (at++; at < count && !is_first[at];)
        at++;
    return at;
}

static struct change_point change_describe(const struct history_point *points,
                                           const double *values, struct part levels, size_t at)
{
    struct change_point change = {.first = at, .at_us = points[at].at_us};

    change.ratio =
        compare_runs(values + at, levels.to - at, values + levels.from, at - levels.from);
    for (size_t key = 0; key < HISTORY_KEYS_MAX; key++)
        if (change_explains(points, values, levels, at, key))
            change.explained |= 1u << key;
    return change;
}

void change_points_find(const struct history_point *points, size_t count,
                        struct change_points *ret_changes)
{
    AUTO(freep) struct weighed *weighed = xcalloc(3 * (count + 1), sizeof *weighed);
    AUTO(freep) struct part *waiting = xcalloc(count + 2, sizeof *waiting);
    AUTO(freep) double *values = xcalloc(count + 1, sizeof *values);
    AUTO(freep) bool *is_first = xcalloc(count + 1, sizeof *is_first);
    struct change_points changes = {0};
    struct room room;
    size_t before = 0;

    changes.list = xcalloc(count / CHANGE_SIDE_MIN, sizeof *changes.list);
    room = (struct room){weighed + count + 1, weighed + 2 * (count + 1), values};
    if (count >= 2 * CHANGE_SIDE_MIN) {
        change_weigh(points, count, weighed, values);
        mark_changes(weighed, count, &room, waiting, is_first);
    }
    for (size_t i = 0; i < count; i++)
        values[i] = points[i].value;
    for (size_t at = next_first(is_first, 0, count); at < count;) {
        size_t end = next_first(is_first, at, count);

        changes.list[changes.count++] =
            change_describe(points, values, (struct part){before, end}, at);
        before = at;
        at = end;
    }
    *ret_changes = changes;
}

void change_points_clear(struct change_points *changes)
{
    freep(&changes->list);
    changes->count = 0;
}
