/* When a history of figures changed its level, and what changed at the same time. Pure: the same
 * history has the same answer, because the permutations come from a fixed seed.
 *
 * The stretch whose mean logarithm differs most from the rest becomes a level of its own, then
 * the parts are searched again (circular binary segmentation: Olshen and others, 2004), as long
 * as fewer than one of a hundred permutations of the points differs as much. So about one history
 * of a hundred without a change gets one, whatever the distribution of its noise; two or three
 * where neighbours are alike; of 20 points, one in five of even large changes is not found
 * (change_points_test.c counts). Time grows with the square of the points: 60 points take 10 ms
 * for each change, 200 points 60 ms. */
#pragma once

#include "engine/stats/compare.h"

#define HISTORY_KEYS_MAX 16
#define CHANGE_SIDE_MIN 3 /* points on each side of a change: fewer are no level */

/* A figure at a time. */
struct history_point {
    long long at_us;
    double value; /* above 0 */
    double sd;    /* standard deviation of its logarithm, from its interval; 0 unknown */
    /* Possible causes of a change: versions, kernel, machine ...; borrowed, NULL for unknown. The
     * caller gives each position a meaning, the same for all points. */
    const char *keys[HISTORY_KEYS_MAX];
};

struct change_point {
    size_t first;       /* the first point of the new level */
    long long at_us;    /* of that point */
    struct ratio ratio; /* new level / old level, with 95 % (compare_runs()) */
    unsigned explained; /* bit k: key k had one value in the old level and another in the new, and
                         * changed at this point, one point away, or within the change's
                         * uncertainty (95 %) */
};

struct change_points {
    struct change_point *list; /* owned, in time order */
    size_t count;
};

/* `points` in time order. */
void change_points_find(const struct history_point *points, size_t count,
                        struct change_points *ret_changes);

/* A zeroed one is fine. */
void change_points_clear(struct change_points *changes);
