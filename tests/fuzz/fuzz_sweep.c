/* Property: an accepted request has valid cells, at most as many as are allowed, and one at
 * least can be run; a refused one leaves the caller's sweep alone and says why. */
#include "common/cleanup.h"
#include "engine/spec/run_spec_text.h"
#include "engine/sweep/sweep.h"
#include "tests/fuzz/fuzz.h"

static void check_cell(const struct sweep_cell *cell)
{
    AUTO(freep) char *text = run_spec_to_text(&cell->spec);
    struct run_spec again;

    ALWAYS(text && run_spec_from_text(text, strlen(text), &again, NULL));
    ALWAYS(strlen(cell->name) < SWEEP_NAME_MAX && strlen(cell->refused) < sizeof cell->refused);
}

FUZZ(data, size)
{
    static struct topology topology = {
        .cpu_count = 4, .core_count = 2, .package_count = 1, .node_count = 1};
    static const char *const engines[] = {"jax", ENGINE_NATIVE, NULL};
    const struct place place = {
        .topology = &topology, .isa = CPU_AVX512, .root = "/nowhere", .engines = engines};
    struct sweep sweep = {.blocks = -7};
    struct error err = {0};
    size_t possible = 0;

    if (!sweep_from_text((const char *)data, size, &place, &sweep, &err)) {
        ALWAYS((err.kind == ERROR_INVALID || err.kind == ERROR_UNABLE) && err.message[0]);
        ALWAYS(sweep.blocks == -7 && !sweep.cells && !sweep.base);
        return;
    }
    ALWAYS(sweep.count >= 1 && sweep.count <= SWEEP_CELLS_MAX && sweep.blocks >= 1);
    for (size_t i = 0; i < sweep.count; i++) {
        check_cell(&sweep.cells[i]);
        possible += !sweep.cells[i].refused[0];
    }
    ALWAYS(possible >= 1 && possible * (size_t)sweep.blocks <= SWEEP_RUNS_MAX);
    sweep_clear(&sweep);
}
