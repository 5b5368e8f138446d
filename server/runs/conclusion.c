/* Tested by tests/server/runs/runner_test.c. */
#include "server/runs/conclusion.h"

#include "common/cleanup.h"
#include "db/runs/evidence_rows.h"
#include "db/runs/machines.h"
#include "db/runs/runs.h"
#include "db/runs/step_rows.h"
#include "engine/machine/machine_facts.h"
#include "engine/protocol/details.h"
#include "engine/stats/roofline.h"
#include "engine/stats/summary_text.h"

#include <math.h>

static bool conclusion_summarize(const struct conclusion_inputs *conclusion_inputs,
                                 struct summary *ret_summary, struct error *err)
{
    const struct run_spec *spec = &conclusion_inputs->run->spec;
    const struct summary_rules rules = {.warmup_steps = spec->warmup_steps,
                                        .steps = spec->steps,
                                        .batch_size = spec->batch_size,
                                        .setup_ns = conclusion_inputs->run->setup_ns,
                                        .run_id = conclusion_inputs->run->id.text};

    return summary_compute(conclusion_inputs->steps, &rules, ret_summary, err);
}

/* The run's share of the memory bandwidth that the engine measured. */
static double memory_share(const struct run_spec *spec, const struct engine_details *details,
                           const struct summary *summary)
{
    const struct roofline_inputs inputs = {.details = *details,
                                           .split_known = summary->split_known,
                                           .split = summary->split,
                                           .step_seconds = summary->measured_seconds /
                                                           (double)summary->measured_steps,
                                           .batch_size = spec->batch_size};
    struct roofline roofline;

    roofline_compute(&inputs, &roofline);
    return fmin(roofline.memory_share, 1);
}

static bool conclusion_judge(const struct conclusion_inputs *conclusion_inputs,
                             struct conclusion *conclusion, struct error *err)
{
    const struct run *run = conclusion_inputs->run;
    struct engine_details details;
    struct machine_facts facts;
    struct verdict verdict;

    if (!engine_details_from_text(run->engine_details, &details, err))
        return false;
    machine_facts_read(conclusion_inputs->machine_facts, &facts);
    validity_judge(
        &(struct validity_inputs){.spec = &run->spec,
                                  .summary = &conclusion->summary,
                                  .evidence = conclusion_inputs->evidence,
                                  .implementations = conclusion_inputs->implementations,
                                  .machine_isa = facts.isa,
                                  .instance = run->instance,
                                  .memory_share =
                                      memory_share(&run->spec, &details, &conclusion->summary),
                                  .emulated = details.emulated,
                                  .certified = run->certified},
        &verdict);
    summary_widen(&conclusion->summary, verdict.idle_speed, verdict.idle_speed_max);
    conclusion->validity = verdict.level;
    conclusion->findings = verdict_to_text(&verdict);
    return true;
}

bool conclusion_compute(const struct conclusion_inputs *conclusion_inputs,
                        struct conclusion *ret_conclusion, struct error *err)
{
    AUTO(conclusion_clear) struct conclusion conclusion = {0};

    if (!conclusion_summarize(conclusion_inputs, &conclusion.summary, err) ||
        !conclusion_judge(conclusion_inputs, &conclusion, err))
        return false;
    conclusion.summary_text = summary_to_text(&conclusion.summary);
    if (!conclusion.summary_text)
        return error_set(err, ERROR_UPSTREAM, NULL, "the losses are too large for their mean");
    *ret_conclusion = conclusion;
    conclusion = (struct conclusion){0};
    return true;
}

bool conclusion_draw(struct db *db, const struct run *run, struct conclusion *ret_conclusion,
                     struct error *err)
{
    AUTO(evidence_free) struct evidence evidence = {0};
    AUTO(steps_free) struct steps steps = {0};
    AUTO(machine_row_clear) struct machine_row machine = {0};
    AUTO(freep) char *loaded = NULL;

    if (!step_rows_load(db, run->number, 0, run->steps, &steps, err) ||
        !evidence_rows_load(db, run->number, &evidence, err) ||
        (!run->implementations && !runs_implementations(db, run->id.text, &loaded, err)) ||
        (run->machine[0] && !machines_find(db, run->machine, &machine, err)))
        return false;
    return conclusion_compute(
        &(struct conclusion_inputs){.run = run,
                                    .steps = &steps,
                                    .evidence = &evidence,
                                    .implementations =
                                        run->implementations ? run->implementations : loaded,
                                    .machine_facts = machine.facts},
        ret_conclusion, err);
}

void conclusion_clear(struct conclusion *conclusion)
{
    freep(&conclusion->summary_text);
    freep(&conclusion->findings);
}
