/* The data of a sweep for all formats of its answer. */
#pragma once

#include "db/runs/sweep_runs.h"
#include "db/runs/sweeps.h"
#include "pricing/cost.h"

/* A sweep with its runs and its result. */
struct sweep_view {
    const struct sweep_row *row;
    enum sweep_preset preset;
    const struct sweep_row_run *runs;
    size_t run_count;
    const struct sweep_result *result;
    struct false_alarms alarms; /* of an A/A */
    long long now_us;
};

/* The price per hour of the sweep's latest run: one price for all cells, so that dollars differ
 * only where speeds do. 0 if no run has one. */
double sweep_dollars_per_hour(const struct sweep_view *view);

/* False if the cell's speed or the price is unknown. */
bool sweep_cell_cost(const struct sweep_view *view, size_t index, struct cost *ret_cost);

/* Tokens a second, of workloads on text. */
bool sweep_cell_tokens(const struct sweep_view *view, size_t index, struct amount *ret_speed);

/* True if both have a value and neither is surely faster. */
bool sweep_cells_tie(const struct sweep_result *result, size_t index, size_t other);
