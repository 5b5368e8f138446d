/* Finds stored runs that were altered: computes their conclusions again and verifies checksums
 * and signatures. */
#pragma once

#include "db/db.h"

#include <stdbool.h>
#include <stdint.h>

/* Which runs to check, and the callbacks. */
struct recheck_order {
    long long sample; /* number of random runs; 0: all */
    uint64_t seed;    /* of the sample: equal seeds choose equal runs */
    bool (*go_on)(void);
    /* Called for an altered run; `what` is like "summary, validity, checksum". */
    void (*tell)(void *user, const char *id, const char *what);
    void *user;
};

struct recheck_counts {
    long long runs;    /* ended runs, which have a checksum */
    long long looked;  /* of them */
    long long drawn;   /* of them: conclusion computed again and compared */
    long long altered; /* of them: found altered */
};

/* Reports each run whose summary, columns or verdict differ from what its steps and evidence
 * give, or whose checksum (db/checksum.h) or signature is wrong. Skips the conclusion if the
 * steps were thinned or another version of the statistics made the summary. ERROR_CONFLICT if
 * go_on() returns false. */
MUST_USE bool recheck_runs(struct db *db, const struct recheck_order *order,
                           struct recheck_counts *ret_counts, struct error *err);
