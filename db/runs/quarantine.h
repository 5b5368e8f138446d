/* A sender's run that contradicts known runs is held: it is shown with the reason, but counts
 * nowhere until the operator releases it. A held run is a run voided by QUARANTINE_BY; lifting
 * the void (db/runs/voids.h, DELETE /v1/runs/{id}/void) releases it.
 *
 * An imported run of an untrusted sender is held if its throughput is QUARANTINE_FACTOR times
 * higher or lower than the same version of its contender: - of the median of the trusted runs of
 * it, where there are any (db/runs/trust.h); - else of the newest valid run of each other sender,
 * where there are two other senders or more. So one sender alone never has the runs of another
 * held. */
#pragma once

#include "db/db.h"

#define QUARANTINE_BY "quarantine"
#define QUARANTINE_FACTOR 10

/* Checks a run that was just imported, in the caller's transaction, and holds it if needed;
 * *ret_held tells. The number is its row's. */
MUST_USE bool quarantine_look(struct db *db, long long number, long long now_us, bool *ret_held,
                              struct error *err);
