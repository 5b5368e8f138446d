/* Computes a run's summary and validity from its trace. The end of a run and every later check of
 * it call the same function, so both agree. */
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

/* Everything that a conclusion is computed from; borrowed. */
struct conclusion_inputs {
    const struct run *run; /* its id, set-up, instance, details and certificate */
    const struct steps *steps;
    const struct evidence *evidence;
    const char *implementations; /* NULL where the engine reported none */
    const char *machine_facts;   /* engine/machine/machine.h; NULL unknown */
};

/* Fails when no step was measured. Every stored summary and validity comes from here. */
MUST_USE bool conclusion_compute(const struct conclusion_inputs *conclusion_inputs,
                                 struct conclusion *ret_conclusion, struct error *err);

/* The same from the stored steps and evidence of `run` and the facts in it. Loads the
 * implementations if `run` lacks them. */
MUST_USE bool conclusion_draw(struct db *db, const struct run *run,
                              struct conclusion *ret_conclusion, struct error *err);

/* Accepts a zeroed conclusion. */
void conclusion_clear(struct conclusion *conclusion);
