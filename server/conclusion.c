#include "server/conclusion.h"

#include "common/cleanup.h"
#include "db/evidence_rows.h"
#include "db/machines.h"
#include "db/runs.h"
#include "db/step_rows.h"
#include "engine/cpu.h"
#include "engine/summary_text.h"

#define ISA_SIZE 32

/* What the machine has at most, "" when that is not known. */
static bool read_machine_isa(struct db *db, const struct run *run, char ret_isa[ISA_SIZE],
                             struct error *err)
{
    AUTO(machine_row_clear) struct machine_row machine = {0};
    AUTO(json_decrefp) json_t *facts = NULL;
    const char *isa;

    ret_isa[0] = '\0';
    if (!run->machine[0])
        return true;
    if (!machines_find(db, run->machine, &machine, err))
        return false;
    facts = json_loads(machine.facts, 0, NULL);
    isa = json_string_value(json_object_get(facts, "isa"));
    snprintf(ret_isa, ISA_SIZE, "%s", isa ? isa : "");
    return true;
}

/* What the engine said of itself; nothing where it said nothing. */
static bool read_details(const struct run *run, struct engine_details *ret_details,
                         struct error *err)
{
    AUTO(json_decrefp)
    json_t *json = run->engine_details ? json_loads(run->engine_details, 0, NULL) : NULL;

    const char *key;
    json_t *value;
    void *next;

    /* What was not told is stored as null. */
    json_object_foreach_safe(json, next, key, value)
    {
        if (json_is_null(value))
            json_object_del(json, key);
    }
    *ret_details = (struct engine_details){0};
    return !json || engine_details_from_json(json, ret_details, err);
}

static bool summarize(const struct run *run, const struct run_spec *spec,
                      const struct steps *steps, struct summary *ret_summary, struct error *err)
{
    const struct summary_rules rules = {.warmup_steps = spec->warmup_steps,
                                        .steps = spec->steps,
                                        .batch_size = spec->batch_size,
                                        .setup_ns = run->setup_ns,
                                        .run_id = run->id.text};

    return summary_compute(steps, &rules, ret_summary, err);
}

static bool judge(struct db *db, const struct run *run, const struct run_spec *spec,
                  const struct evidence *evidence, struct conclusion *conclusion,
                  struct error *err)
{
    AUTO(freep) char *loaded = NULL;
    struct engine_details details;
    char isa[ISA_SIZE];
    struct verdict verdict;

    if (!run->implementations && !runs_implementations(db, run->id.text, &loaded, err))
        return false;
    if (!read_machine_isa(db, run, isa, err) || !read_details(run, &details, err))
        return false;
    validity_judge(&(struct testimony){.spec = spec,
                                       .summary = &conclusion->summary,
                                       .evidence = evidence,
                                       .implementations =
                                           run->implementations ? run->implementations : loaded,
                                       .machine_isa = isa,
                                       .instance = run->instance,
                                       .threads = details.threads,
                                       .emulated = details.emulated,
                                       .certified = run->certified},
                   &verdict);
    conclusion->validity = verdict.level;
    conclusion->findings = verdict_to_text(&verdict);
    return conclusion->findings || error_set(err, ERROR_INTERNAL, NULL, "out of memory");
}

bool conclusion_draw(struct db *db, const struct run *run, struct conclusion *ret_conclusion,
                     struct error *err)
{
    AUTO(conclusion_clear) struct conclusion conclusion = {0};
    AUTO(evidence_free) struct evidence evidence = {0};
    AUTO(steps_free) struct steps steps = {0};
    struct run_spec spec;

    if (!run_spec_from_text(run->spec_text, strlen(run->spec_text), &spec, err) ||
        !step_rows_load(db, run->number, 0, run->steps, &steps, err) ||
        !evidence_rows_load(db, run->number, &evidence, err) ||
        !summarize(run, &spec, &steps, &conclusion.summary, err) ||
        !judge(db, run, &spec, &evidence, &conclusion, err))
        return false;
    conclusion.summary_text = summary_to_text(&conclusion.summary);
    if (!conclusion.summary_text)
        return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    *ret_conclusion = conclusion;
    conclusion = (struct conclusion){0};
    return true;
}

void conclusion_clear(struct conclusion *conclusion)
{
    freep(&conclusion->summary_text);
    freep(&conclusion->findings);
}
