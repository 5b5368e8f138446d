#include "pricing/pareto.h"

#include "common/cleanup.h"
#include "common/memory.h"

#include <math.h>

static bool pareto_counts(const struct pareto_point *point)
{
    return point->hours > 0 && point->dollars > 0 && isfinite(point->hours) &&
           isfinite(point->dollars);
}

/* The quickest first; among equals the cheapest. */
static int pareto_compare(const void *left, const void *right)
{
    const struct pareto_point *a = *(const struct pareto_point *const *)left;
    const struct pareto_point *b = *(const struct pareto_point *const *)right;

    if (a->hours < b->hours || a->hours > b->hours)
        return a->hours < b->hours ? -1 : 1;
    return (a->dollars > b->dollars) - (a->dollars < b->dollars);
}

void pareto_mark(struct pareto_point *points, size_t count)
{
    AUTO(freep) struct pareto_point **order = xcalloc(count, sizeof *order);
    const struct pareto_point *last = NULL; /* the slowest on the front so far */
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        points[i].on_front = false;
        if (pareto_counts(&points[i]))
            order[kept++] = &points[i];
    }
    qsort(order, kept, sizeof *order, pareto_compare);
    for (size_t i = 0; i < kept; i++) {
        /* Later points are no quicker: they must be cheaper, or equal. */
        if (last && order[i]->dollars >= last->dollars && pareto_compare(&order[i], &last) != 0)
            continue;
        order[i]->on_front = true;
        last = order[i];
    }
}
