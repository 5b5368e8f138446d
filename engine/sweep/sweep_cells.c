/* Tested by tests/engine/sweep/sweep_test.c. */
#include "engine/sweep/sweep_cells.h"

#include "common/cleanup.h"
#include "common/limits.h"
#include "common/memory.h"

void sweep_clear(struct sweep *sweep)
{
    json_decrefp(&sweep->base);
    freep(&sweep->cells);
    *sweep = (struct sweep){0};
}

/* Of a cell of the preset engines, whose engine may lack the workload: the reason, and the spec
 * as if another engine were to run it. */
static bool read_lacking(const struct sweep *sweep, json_t *json, struct sweep_cell *cell,
                         struct error *cause)
{
    struct error why = *cause;

    if (sweep->preset != SWEEP_ENGINES || strcmp(cause->field, "workload") != 0)
        return false;
    *cause = (struct error){0};
    json_object_set_new(json, "engine", json_string("another"));
    if (!run_spec_from_json(json, &cell->spec, cause))
        return false;
    snprintf(cell->spec.engine, sizeof cell->spec.engine, "%s", ENGINE_NATIVE);
    snprintf(cell->refused, sizeof cell->refused, "%s: %s", why.field, why.message);
    return true;
}

bool sweep_add(struct sweep *sweep, const char *name, json_t *change, const struct place *place,
               struct error *err)
{
    AUTO(json_decrefp) json_t *json = json_copy(sweep->base);
    struct error cause = {0};
    struct sweep_cell *cell;

    if (sweep->count == SWEEP_CELLS_MAX)
        return error_set(err, ERROR_INVALID, "knobs", "make more than %d cells", SWEEP_CELLS_MAX);
    sweep->cells = xreallocarray(sweep->cells, sweep->count + 1, sizeof *sweep->cells);
    json_object_update(json, change);
    cell = &sweep->cells[sweep->count];
    *cell = (struct sweep_cell){.name = ""};
    snprintf(cell->name, sizeof cell->name, "%s", name);
    if (!run_spec_from_json(json, &cell->spec, &cause) &&
        !read_lacking(sweep, json, cell, &cause))
        return error_within(err, &cause, json_object_get(change, cause.field) ? "knobs" : "base");
    if (!cell->refused[0] && !spec_fits(&cell->spec, place, &cause) && cause.kind != ERROR_UNABLE)
        return error_within(err, &cause, json_object_get(change, cause.field) ? "knobs" : "base");
    if (cause.kind == ERROR_UNABLE)
        snprintf(cell->refused, sizeof cell->refused, "%s: %s", cause.field, cause.message);
    sweep->count++;
    return true;
}
