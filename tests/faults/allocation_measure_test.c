/* Every allocation on the way from steps to an answer fails, each in its turn. As in
 * allocation_test.c, texts that are parsed have no token over 15 bytes. */
#include "tests/faults/shortages.h"

#include "common/cleanup.h"
#include "engine/machine/machine.h"
#include "engine/process/loaded_libraries.h"
#include "engine/run/pace.h"
#include "engine/stats/summary_text.h"
#include "engine/stats/validity.h"
#include "engine/sweep/sweep.h"
#include "engine/sweep/sweep_result.h"

static bool or_out_of_memory(bool ok, struct error *err)
{
    return ok || error_set(err, ERROR_INTERNAL, NULL, "out of memory");
}

static bool summarize(struct error *err)
{
    struct step items[40] = {{.nanoseconds = 0}};
    struct steps steps = {items, COUNT(items), COUNT(items)};
    const struct summary_rules rules = {
        .warmup_steps = 1, .steps = 30, .batch_size = 8, .run_id = "x"};
    struct summary summary = {.measured_steps = 77};

    for (size_t i = 0; i < COUNT(items); i++)
        items[i].nanoseconds = 1000 + (long long)(i * 37 % 11);
    ration_start();
    bool ok = summary_compute(&steps, &rules, &summary, err);
    AUTO(freep) char *text = ok ? summary_to_text(&summary) : NULL;
    ration_stop();
    EXPECT_INT(summary.measured_steps, ok ? 30 : 77);
    EXPECT(!text || strstr(text, "\"loss\":{\"first\":0.0,\"last\":0.0}}") != NULL);
    return ok ? or_out_of_memory(text != NULL, err) : false;
}

static bool write_verdict(struct error *err)
{
    const struct verdict verdict = {.count = 1, .findings = {{.code = "swap", .words = "none"}}};

    ration_start();
    AUTO(freep) char *text = verdict_to_text(&verdict);
    ration_stop();
    EXPECT(!text || strstr(text, "\"words\":\"none\"}]") != NULL);
    return or_out_of_memory(text != NULL, err);
}

static bool write_loaded(struct error *err)
{
    const struct loaded_libraries loaded = {.allocator = "system", .openmp = "gnu"};

    ration_start();
    AUTO(freep) char *text = loaded_libraries_to_text(&loaded);
    ration_stop();
    EXPECT(!text || strstr(text, "\"dnn\":null}") != NULL);
    return or_out_of_memory(text != NULL, err);
}

static struct topology topology = {.cpu_count = 2, .core_count = 2, .node_count = 1};

static bool read_machine(struct error *err)
{
    AUTO(machine_clear) struct machine whole = {0}, machine = {0};

    EXPECT(machine_read("/nowhere", &topology, CPU_AVX2, &whole));
    ration_start();
    bool ok = machine_read("/nowhere", &topology, CPU_AVX2, &machine);
    ration_stop();
    if (ok)
        EXPECT_STR(machine.facts, whole.facts); /* nothing is left out */
    return or_out_of_memory(ok, err);
}

static bool read_sweep(struct error *err)
{
    static const char text[] = "{\"base\":{\"steps\":7},\"knobs\":{\"seed\":[1,2],"
                               "\"batch_size\":[8]},\"blocks\":2}";
    const struct place place = {.topology = &topology, .root = "/nowhere"};
    AUTO(sweep_clear) struct sweep sweep = {0};

    ration_start();
    bool ok = sweep_from_text(text, strlen(text), &place, &sweep, err);
    ration_stop();
    EXPECT_INT((long long)sweep.count, ok ? 2 : 0);
    if (ok)
        EXPECT_STR(sweep.cells[1].name, "seed=2 batch_size=8");
    return ok;
}

static bool read_listed_sweep(struct error *err)
{
    static const char text[] = "{\"base\":{\"steps\":7},\"cells\":[{},{\"seed\":2}]}";
    const struct place place = {.topology = &topology, .root = "/nowhere"};
    AUTO(sweep_clear) struct sweep sweep = {0};

    ration_start();
    bool ok = sweep_from_text(text, strlen(text), &place, &sweep, err);
    ration_stop();
    EXPECT_INT((long long)sweep.count, ok ? 2 : 0);
    if (ok)
        EXPECT_STR(sweep.cells[1].name, "seed=2");
    return ok;
}

static bool read_engines(struct error *err)
{
    static const char text[] = "{\"preset\":\"engines\"}";
    static const char *const engines[] = {"jax", ENGINE_NATIVE, NULL};
    const struct place place = {.topology = &topology, .root = "/nowhere", .engines = engines};
    AUTO(sweep_clear) struct sweep sweep = {0};

    ration_start();
    bool ok = sweep_from_text(text, strlen(text), &place, &sweep, err);
    ration_stop();
    EXPECT_INT((long long)sweep.count, ok ? 2 : 0);
    if (ok)
        EXPECT_STR(sweep.cells[1].name, "engine=jax");
    return ok;
}

static bool compare_cells(struct error *err)
{
    const struct sweep_run run = {
        .state = RUN_FINISHED, .validity = VALIDITY_OK, .throughput = {1, 0.9, 1.1}};
    AUTO(sweep_result_clear) struct sweep_result result = {0};

    ration_start();
    bool ok = sweep_result_compute(&run, 1, 1, 0, NULL, &result);
    ration_stop();
    return or_out_of_memory(ok, err);
}

static bool collect_evidence(struct error *err)
{
    AUTO(evidence_free) struct evidence evidence = {0};
    const struct observation seen = {.steps = 1};
    bool ok = true;

    ration_start();
    for (int i = 0; ok && i < 40; i++)
        ok = evidence_observe(&evidence, &seen) &&
             evidence_add_reading(&evidence, &(struct canary_reading){i, {1, 1}});
    ration_stop();
    return or_out_of_memory(ok, err);
}

static bool keep_pace(struct error *err)
{
    const struct run_spec spec = run_spec_default();
    AUTO(pace_free) struct pace pace = {0};
    bool ok = true;

    pace_start(&pace, &spec, 0);
    ration_start();
    for (int i = 0; ok && i < 300; i++)
        ok = pace_step(&pace, 1000);
    ration_stop();
    return or_out_of_memory(ok, err);
}

static void the_way_to_an_answer_survives_every_shortage(void)
{
    survive_every_shortage("summary", summarize);
    survive_every_shortage("verdict", write_verdict);
    survive_every_shortage("loaded", write_loaded);
    survive_every_shortage("machine", read_machine);
    survive_every_shortage("sweep", read_sweep);
    survive_every_shortage("listed sweep", read_listed_sweep);
    survive_every_shortage("engines", read_engines);
    survive_every_shortage("cells", compare_cells);
    survive_every_shortage("evidence", collect_evidence);
    survive_every_shortage("pace", keep_pace);
}

int main(void)
{
    RUN(the_way_to_an_answer_survives_every_shortage);
    return test_result();
}
