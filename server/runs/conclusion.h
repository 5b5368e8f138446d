/* What a run's stored trace comes to: its number and whether that may be ranked. One function for
 * the end of a run and for whoever doubts it later, so both must agree. */
#pragma once

#include "db/db.h"
#include "engine/run/run.h"
#include "engine/trace/evidence.h"
#include "engine/trace/steps.h"

struct conclusion {
    struct summary summary;
    enum validity validity;
    char *summary_text, *findings; /* owned; as in struct run */
};

/* All that a conclusion follows from; borrowed. */
struct conclusion_inputs {
    const struct run *run; /* its id, set-up, instance, details and certificate */
    const struct run_spec *spec;
    const struct steps *steps;
    const struct evidence *evidence;
    const char *implementations; /* NULL where nothing was told */
    const char *machine_facts;   /* engine/machine/machine.h; NULL unknown */
};

/* Fails when no step was measured. Whatever is stored of a run has to pass through here. */
bool conclusion_compute(const struct conclusion_inputs *conclusion_inputs,
                        struct conclusion *ret_conclusion, struct error *err)
    __attribute__((warn_unused_result));

/* The same from the stored steps and evidence of `run`, with what it was told; its
 * implementations are loaded where they are not in it. */
bool conclusion_draw(struct db *db, const struct run *run, struct conclusion *ret_conclusion,
                     struct error *err) __attribute__((warn_unused_result));

/* A zeroed one is fine. */
void conclusion_clear(struct conclusion *conclusion);
