#include "engine/sweep/sweep_tune.h"

#include "common/cleanup.h"
#include "engine/spec/run_spec_text.h"

#define RUNS_PLANNED 36   /* of all rounds, about */
#define RUN_SECONDS_MIN 4 /* that say anything of a machine */
/* Too few steps fit into a share of the budget to look for the end of the warm-up. */
#define WARMUP_STEPS 2

/* What may help beyond the batch size. */
static const struct {
    const char *name, *change;
} changes[] = {
    {"input_workers=1", "{\"input_workers\":1}"},
    {"openmp=llvm", "{\"openmp\":\"llvm\"}"},
    {"allocator=tcmalloc", "{\"allocator\":\"tcmalloc\"}"},
    {"allocator=jemalloc", "{\"allocator\":\"jemalloc\"}"},
    {"allocator=mimalloc", "{\"allocator\":\"mimalloc\"}"},
    {"huge_pages=off", "{\"huge_pages\":\"off\"}"},
    {"plan=fixed", "{\"plan\":\"fixed\"}"},
};

long long sweep_tune_blocks(int round)
{
    return round == TUNE_ROUNDS - 1 ? 3 : 2;
}

void sweep_tune_limit(struct sweep *sweep, size_t first)
{
    const double share = (double)sweep->budget_seconds / RUNS_PLANNED;
    double batches = 0;

    for (size_t i = first; i < sweep->count; i++)
        batches += (double)sweep->cells[i].spec.batch_size / (double)(sweep->count - first);
    for (size_t i = first; i < sweep->count; i++) {
        struct run_spec *spec = &sweep->cells[i].spec;
        long long seconds = (long long)(share / 2 * (1 + (double)spec->batch_size / batches));

        if (seconds < RUN_SECONDS_MIN)
            seconds = RUN_SECONDS_MIN;
        spec->max_seconds = seconds;
        spec->min_seconds = seconds / 2;
        if (spec->warmup_steps == FIELD_IS_AUTO)
            spec->warmup_steps = WARMUP_STEPS;
    }
}

/* The whole spec of a cell as a change to the base: it then is that cell again. */
static bool add_copy(struct sweep *sweep, const char *name, const struct run_spec *spec,
                     json_t *change, const struct place *place, struct error *err)
{
    AUTO(json_decrefp) json_t *whole = run_spec_to_json(spec);

    if (change)
        json_object_update(whole, change);
    return sweep_add(sweep, name, whole, place, err);
}

static bool add_changes(struct sweep *sweep, size_t best, const struct place *place,
                        struct error *err)
{
    const struct run_spec spec = sweep->cells[best].spec;

    for (size_t i = 0; i < COUNT(changes); i++) {
        AUTO(json_decrefp) json_t *change = json_loads(changes[i].change, 0, NULL);
        char name[SWEEP_NAME_MAX];

        snprintf(name, sizeof name, "batch_size=%lld %s", spec.batch_size, changes[i].name);
        if (!add_copy(sweep, name, &spec, change, place, err))
            return false;
    }
    return true;
}

static size_t runner_up(const struct sweep_result *result)
{
    size_t second = result->count;

    for (size_t i = 0; i < result->count; i++)
        if (i != result->best && result->cells[i].throughput.value > 0 &&
            (second == result->count ||
             result->cells[i].throughput.value > result->cells[second].throughput.value))
            second = i;
    return second;
}

static bool add_final(struct sweep *sweep, const char *prefix, size_t cell,
                      const struct place *place, struct error *err)
{
    const struct sweep_cell copy = sweep->cells[cell];
    char name[SWEEP_NAME_MAX + 16];

    snprintf(name, sizeof name, "%s: %s", prefix, copy.name);
    return add_copy(sweep, name, &copy.spec, NULL, place, err);
}

bool sweep_tune_next(struct sweep *sweep, int round, const struct sweep_result *result,
                     const struct place *place, struct error *err)
{
    size_t first = sweep->count, second = runner_up(result);
    bool ok;

    if (result->best == result->count)
        return true; /* no cell of the round before has a value: there is nothing to build on */
    if (round == 1)
        ok = add_changes(sweep, result->best, place, err);
    else
        ok = add_final(sweep, "fixed", 0, place, err) &&
             add_final(sweep, "best", result->best, place, err) &&
             (second == result->count || add_final(sweep, "second", second, place, err));
    sweep_tune_limit(sweep, first);
    return ok;
}
