/* Evidence of a run as rows. Not durable by itself: the later commit of the run's end is. */
#pragma once

#include "db/db.h"
#include "engine/trace/evidence.h"

/* Adds what `evidence` holds behind what is stored: its first observation becomes the
 * `observations`-th of the run, its first canary reading the `readings`-th. */
MUST_USE bool evidence_rows_append(struct db *db, long long number, long long observations,
                                   long long readings, const struct evidence *evidence,
                                   struct error *err);

/* The same, in the caller's transaction. */
MUST_USE bool evidence_rows_put(struct db *db, long long number, long long observations,
                                long long readings, const struct evidence *evidence,
                                struct error *err);

/* Adds all stored evidence, from rows or else from a trace, to *evidence; the caller frees it. */
MUST_USE bool evidence_rows_load(struct db *db, long long number, struct evidence *evidence,
                                 struct error *err);
