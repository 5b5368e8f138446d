/* Stalled steps. A step that takes ten times as long as its neighbours outweighs them, and hides
 * a slow start. The search for levels (warmup.c, drift.c) ignores stalls; throughput and interval
 * count every stall. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define STALL_BATCH 5
#define STALL_FACTOR 1.5 /* times the median of five steps: a longer step has stalled */

/* The steps of a run; if `tamed`, each stall reads as the median of its five steps. Fives begin
 * at the first step; a remainder joins the last full five. */
struct step_view {
    const long long *nanoseconds;
    size_t count;
    bool tamed;
};

/* Whether any step stalled; false for fewer than five steps. */
bool stall_is_in(const long long *nanoseconds, size_t count);

double step_view_at(const struct step_view *view, size_t step);
