/* Steps that stalled. One that takes ten times as long as its neighbours outweighs what the
 * others say together, and so hides that a run was slow at the start. The search for levels
 * (warmup.c, drift.c) reads the steps without their stalls; throughput and interval count every
 * stall. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define STALL_BATCH 5
#define STALL_FACTOR 1.5 /* of the median of five steps: a step that takes longer has stalled */

/* The steps of a run; where `tamed`, each stall reads as the median of its five steps. Fives
 * begin at the first step; those that are left at the end count with the last full five. */
struct step_view {
    const long long *nanoseconds;
    size_t count;
    bool tamed;
};

/* Whether any step stalled; false for fewer than five steps. */
bool stall_is_in(const long long *nanoseconds, size_t count);

double step_view_at(const struct step_view *view, size_t step);
