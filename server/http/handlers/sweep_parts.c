#include "server/http/handlers/sweep_parts.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "engine/sweep/sweep_tune.h"

void sweep_parts_clear(struct sweep_parts *parts)
{
    sweep_row_clear(&parts->row);
    freep(&parts->runs);
    freep(&parts->plain);
    sweep_result_clear(&parts->result);
}

/* The first cell of a tune's last round, which measures the candidates again; 0 before it, and of
 * all other sweeps. */
static size_t final_from(const struct sweep_row *row)
{
    size_t from = 0;

    if (sweep_preset_of(row->request) != SWEEP_TUNE)
        return 0;
    while (from < row->count && row->cells[from].round < TUNE_ROUNDS - 1)
        from++;
    return from < row->count ? from : 0;
}

/* Cells of one workload are of one group, numbered in the order of the cells. */
static size_t *group_cells(const struct sweep_row *row)
{
    size_t *groups = xcalloc(row->count, sizeof *groups), count = 0;

    for (size_t i = 0; i < row->count; i++) {
        size_t same = 0;

        while (strcmp(row->cells[same].spec.workload, row->cells[i].spec.workload) != 0)
            same++;
        groups[i] = same < i ? groups[same] : count++;
    }
    return groups;
}

bool sweep_parts_load(struct db *db, const char *id, struct sweep_parts *parts, struct error *err)
{
    AUTO(freep) size_t *groups = NULL;
    size_t count = 0;

    if (!sweeps_find(db, id, &parts->row, err) ||
        !sweeps_runs(db, parts->row.number, &parts->runs, &count, err))
        return false;
    parts->plain = xcalloc(count, sizeof *parts->plain);
    for (size_t i = 0; i < count; i++)
        parts->plain[i] = parts->runs[i].run;
    groups = group_cells(&parts->row);
    sweep_result_compute(parts->plain, count, parts->row.count, final_from(&parts->row), groups,
                         &parts->result);
    parts->view = (struct sweep_view){.row = &parts->row,
                                      .preset = sweep_preset_of(parts->row.request),
                                      .runs = parts->runs,
                                      .run_count = count,
                                      .result = &parts->result,
                                      .alarms = sweep_false_alarms(parts->plain, count),
                                      .now_us = clock_calendar_us()};
    return true;
}
