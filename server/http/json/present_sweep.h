/* JSON of sweeps. */
#pragma once

#include "common/rows/members.h"
#include "server/http/json/sweep_view.h"

extern const struct members sweep_members;       /* of struct sweep_view */
extern const struct members sweep_head_members;  /* of struct sweep_row: without its cells */
extern const struct members sweep_state_members; /* words of enum sweep_state */

/* The progress of a sweep. */
struct sweep_progress {
    long long runs_total, runs_done, runs_running;
    double elapsed_seconds, seconds_left; /* the latter NaN unknown */
};
struct sweep_progress sweep_progress_of(const struct sweep_view *view);
extern const struct members sweep_progress_members;
