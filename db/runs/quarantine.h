/* Runs of senders that contradict what is known are held: kept and shown with the reason, and out
 * of every answer, until the operator lets them count. A held run is a voided one, whose void is
 * by QUARANTINE_BY; what lifts a void (db/runs/voids.h, DELETE /v1/runs/{id}/void) releases it.
 *
 * Held is an imported run of a sender that is not trusted, whose throughput is QUARANTINE_FACTOR
 * times that of the same version of its contender, or a share of it by that factor:
 * - of the median of the trusted runs of it, where there are any (db/runs/trust.h);
 * - else of the newest valid run of each other sender, where there are two other senders or more.
 * So one sender alone never has the runs of another held. */
#pragma once

#include "db/db.h"

#define QUARANTINE_BY "quarantine"
#define QUARANTINE_FACTOR 10

/* Looks at a run that was just imported, within the transaction of the caller, and holds it where
 * it must be, which *ret_held says. The number is that of its row. */
MUST_USE bool quarantine_look(struct db *db, long long number, long long now_us, bool *ret_held,
                              struct error *err);
