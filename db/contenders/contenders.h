/* What a comparison has rows for, and the revision.
 *
 * The revision is one number in the database. It grows with every change that may change a
 * comparison, and each contender keeps the revision that changed it last. So what a server holds
 * in memory is brought up to date from the contenders with a newer revision, without a look at
 * all runs. A second number is the last revision that was more than runs: while it stays, the
 * offers in memory stay valid. That matters because loading the offers of a region takes 10 ms,
 * and an answer 2 ms. */
#pragma once

#include "db/db.h"
#include "engine/run/run.h"

/* Texts are "" where there is nothing to say. */
struct contender_key {
    const char *workload, *engine;
    const char
        *configuration; /* engine/spec/configuration.h; of a figure any object in one line */
    const char *provider, *instance, *stratum;
    bool published;
};

/* The number of a contender, made where it is new; within a transaction of the caller's, who has
 * touched the revision in it. It counts as changed by that. */
MUST_USE bool contenders_touch(struct db *db, const struct contender_key *key,
                               long long *ret_number, struct error *err);

/* The same for a finished run that is about to be stored: where it was measured, and on what. Its
 * machine is stored already. Touches the revision too. */
MUST_USE bool contenders_touch_run(struct db *db, const struct run *run, long long *ret_number,
                                   struct error *err);

/* Who asks for a comparison next reads the contender of this run anew; within a transaction of
 * the caller's, who has touched the revision in it. */
MUST_USE bool contenders_changed_by_run(struct db *db, long long run, struct error *err);

/* Raises the revision; within a transaction of the caller's. */
MUST_USE bool revision_touch(struct db *db, struct error *err);

/* The same where only runs come or change, and no price with them: what was read of prices stays
 * good. When in doubt, revision_touch(). */
MUST_USE bool revision_touch_runs(struct db *db, struct error *err);

MUST_USE bool revision_read(struct db *db, long long *ret_revision, struct error *err);

/* The revision that prices are of: that of the last revision_touch(). */
MUST_USE bool revision_read_prices(struct db *db, long long *ret_revision, struct error *err);
