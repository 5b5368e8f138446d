/* The offers that no other offer beats in both time and dollars. */
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

struct pareto_point {
    double hours, dollars; /* for the same work; NaN or not above 0: never on the front */
    bool on_front;         /* output */
};

/* Equal points are on the front together. n log n. */
void pareto_mark(struct pareto_point *points, size_t count);
