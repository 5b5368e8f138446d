/* What a run's stored trace comes to: its number and whether that may be ranked. One function for
 * the end of a run and for whoever doubts it later, so both must agree. */
#pragma once

#include "db/db.h"
#include "engine/run.h"

struct conclusion {
    struct summary summary;
    enum validity validity;
    char *summary_text, *findings; /* owned; as in struct run */
};

/* From the stored steps and evidence of `run`, with what it was told; its implementations are
 * loaded where they are not in it. Fails when no step was measured. */
bool conclusion_draw(struct db *db, const struct run *run, struct conclusion *ret_conclusion,
                     struct error *err) __attribute__((warn_unused_result));

/* A zeroed one is fine. */
void conclusion_clear(struct conclusion *conclusion);
