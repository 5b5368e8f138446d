/* The contenders (rows of comparisons), and the revision.
 *
 * The revision is one number in the database that grows with every change that may change a
 * comparison, and each contender keeps the revision that changed it last. So a server updates
 * its memory from the contenders with a newer revision, without reading all runs. A second
 * number is the last revision that changed more than runs: until it changes, the offers in memory
 * stay valid. Loading the offers of a region takes 10 ms, an answer 2 ms. */
#pragma once

#include "db/db.h"
#include "engine/run/run.h"

/* Texts are "" where unknown. */
struct contender_key {
    const char *workload, *engine;
    const char *configuration; /* engine/spec/configuration.h; for a figure any JSON object in one
                                * line */
    const char *provider, *instance, *stratum;
    bool published;
};

/* The number of a contender; adds a new one. Marks it as changed. In the caller's transaction;
 * the caller has touched the revision in it. */
MUST_USE bool contenders_touch(struct db *db, const struct contender_key *key,
                               long long *ret_number, struct error *err);

/* The same for a finished run before it is stored. Its machine must be stored. Touches the
 * revision too. */
MUST_USE bool contenders_touch_run(struct db *db, const struct run *run, long long *ret_number,
                                   struct error *err);

/* Marks the contender of this run as changed, so that the next comparison reads it again. In the
 * caller's transaction; the caller has touched the revision in it. */
MUST_USE bool contenders_changed_by_run(struct db *db, long long run, struct error *err);

/* Raises the revision, in the caller's transaction. */
MUST_USE bool revision_touch(struct db *db, struct error *err);

/* The same if only runs change, and no prices: cached prices stay valid. When in doubt,
 * revision_touch(). */
MUST_USE bool revision_touch_runs(struct db *db, struct error *err);

MUST_USE bool revision_read(struct db *db, long long *ret_revision, struct error *err);

/* The revision of the last revision_touch(): cached prices are valid while it stays. */
MUST_USE bool revision_read_prices(struct db *db, long long *ret_revision, struct error *err);
