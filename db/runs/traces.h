/* The traces of imported runs, stored as text. For steps or evidence call step_rows.h and
 * evidence_rows.h, which fall back to these where there are no rows. */
#pragma once

#include "db/db.h"
#include "engine/document/run_document.h"

/* In the caller's transaction; texts as engine/trace/trace.h reads them, without blanks. */
MUST_USE bool traces_put(struct db *db, long long number, const struct span *steps,
                         const struct span *evidence, struct error *err);

/* Whether the run is stored with exactly these texts. */
MUST_USE bool traces_equal(struct db *db, long long number, const struct span *steps,
                           const struct span *evidence, bool *ret_equal, struct error *err);

/* All steps of the run, none without a trace; the caller frees them, also after a failure. */
MUST_USE bool traces_steps(struct db *db, long long number, struct steps *ret_steps,
                           struct error *err);

/* Adds the stored evidence. */
MUST_USE bool traces_evidence(struct db *db, long long number, struct evidence *evidence,
                              struct error *err);
