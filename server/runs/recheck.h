/* Draws the conclusions of stored runs again and looks at their checksums and signatures, which
 * finds rows that somebody altered: to the database they are as good as any. */
#pragma once

#include "db/db.h"

#include <stdbool.h>
#include <stdint.h>

/* Which runs are looked at, and whom to tell. */
struct recheck_order {
    long long sample; /* so many of them at random; 0: all */
    uint64_t seed;    /* of the sample: the same one chooses the same runs */
    bool (*go_on)(void);
    /* Gets the id of a run that was altered, and in what: "summary, validity, checksum". */
    void (*tell)(void *user, const char *id, const char *what);
    void *user;
};

struct recheck_counts {
    long long runs;    /* that have ended, and so have a checksum */
    long long looked;  /* of them */
    long long drawn;   /* of them: the conclusion was drawn again and compared */
    long long altered; /* of them: differ in what is stored from what they say */
};

/* Tells of each run whose stored summary, columns or verdict differ from what its stored steps
 * and evidence give, whose checksum (db/checksum.h) does not hold, or whose signature does not.
 * No conclusion is drawn of runs whose steps were thinned and of those that another version of
 * the statistics summarized. False, with ERROR_CONFLICT, where go_on() returns false. */
MUST_USE bool recheck_runs(struct db *db, const struct recheck_order *order,
                           struct recheck_counts *ret_counts, struct error *err);
