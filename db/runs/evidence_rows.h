/* Evidence of a run as rows. Never durable by itself: the end of the run is, which comes after.
 */
#pragma once

#include "db/db.h"
#include "engine/trace/evidence.h"

/* Adds what `evidence` holds behind what is stored: its first observation becomes the
 * `observations`-th of the run, its first song the `songs`-th. */
MUST_USE bool evidence_rows_append(struct db *db, long long number, long long observations,
                                   long long readings, const struct evidence *evidence,
                                   struct error *err);

/* The same within a transaction of the caller's. */
MUST_USE bool evidence_rows_put(struct db *db, long long number, long long observations,
                                long long readings, const struct evidence *evidence,
                                struct error *err);

/* Adds all that is stored, as rows or else as a trace, to *evidence, which stays the caller's to
 * free. */
MUST_USE bool evidence_rows_load(struct db *db, long long number, struct evidence *evidence,
                                 struct error *err);
