/* Tested by tests/server/http/json/present_sweep_test.c. */
#include "server/http/json/sweep_view.h"

double sweep_dollars_per_hour(const struct sweep_view *view)
{
    for (size_t i = view->run_count; i > 0; i--)
        if (view->runs[i - 1].dollars_per_hour > 0)
            return view->runs[i - 1].dollars_per_hour;
    return 0;
}

bool sweep_cell_cost(const struct sweep_view *view, size_t index, struct cost *ret_cost)
{
    const struct cell_result *cell = &view->result->cells[index];
    const struct amount speed = {.value = cell->throughput.value,
                                 .low = cell->throughput.low,
                                 .high = cell->throughput.high,
                                 .has_interval = cell->throughput.low > 0};

    return cost_of(&speed, sweep_dollars_per_hour(view), ret_cost);
}

bool sweep_cell_tokens(const struct sweep_view *view, size_t index, struct amount *ret_speed)
{
    double tokens = (double)run_spec_tokens(view->row->cells[index].spec.workload);
    const struct measure *speed = &view->result->cells[index].throughput;

    *ret_speed = (struct amount){.value = tokens * speed->value,
                                 .low = tokens * speed->low,
                                 .high = tokens * speed->high,
                                 .has_interval = speed->low > 0};
    return ret_speed->value > 0;
}

bool sweep_cells_tie(const struct sweep_result *result, size_t index, size_t other)
{
    return index != other && result->cells[index].group == result->cells[other].group &&
           result->cells[index].rank.low > 0 && result->cells[other].rank.low > 0 &&
           sweep_verdict(result, index, other) == COMPARE_TIED;
}
