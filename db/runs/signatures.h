/* The signatures of imported runs, and the text they cover. A run measured here has none stored:
 * its document is signed on every export. */
#pragma once

#include "db/stmt.h"
#include "engine/document/signature.h"

/* In the caller's transaction, for a run without one. */
MUST_USE bool signatures_put(struct db *db, long long run, const struct signed_text *kept,
                             struct error *err);

/* For a statement that reads them with a run: columns, each NULL without a signature, and their
 * count; `ret_kept` borrows from the row. False if there is none. */
#define SIGNATURE_OF_RUN(column) "(SELECT " column " FROM signatures WHERE run = runs.number)"
#define SIGNATURE_COLUMNS                                                                        \
    SIGNATURE_OF_RUN("key")                                                                      \
    ", " SIGNATURE_OF_RUN("value") ", " SIGNATURE_OF_RUN("document") ", " SIGNATURE_OF_RUN(      \
        "steps_at") ", " SIGNATURE_OF_RUN("evidence_at")
#define SIGNATURE_COLUMN_COUNT 5
bool signatures_from_row(struct stmt *row, int first, struct signed_text *ret_kept);
