/* The traces of runs that came from elsewhere, kept as the text they came in. A caller that wants
 * steps or evidence asks step_rows.h and evidence_rows.h, which ask here where there are no rows.
 */
#pragma once

#include "db/db.h"
#include "engine/document/run_document.h"

/* Within a transaction of the caller's; texts as engine/trace/trace.h reads them, without blanks.
 */
MUST_USE bool traces_put(struct db *db, long long number, const struct span *steps,
                         const struct span *evidence, struct error *err);

/* Whether exactly these texts are kept of the run. */
MUST_USE bool traces_equal(struct db *db, long long number, const struct span *steps,
                           const struct span *evidence, bool *ret_equal, struct error *err);

/* All steps of the run, none where no trace is kept; freed by the caller also after a failure. */
MUST_USE bool traces_steps(struct db *db, long long number, struct steps *ret_steps,
                           struct error *err);

/* Adds what is kept. */
MUST_USE bool traces_evidence(struct db *db, long long number, struct evidence *evidence,
                              struct error *err);
