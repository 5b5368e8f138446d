/* What hubs have said of the preemptions that this machine saw. As of runs
 * (db/runs/deliveries.h), the database is the spool: an event is to be reported until
 * the hub has answered. */
#pragma once

#include "db/capacity/capacity.h"

#include <stdbool.h>

/* The oldest event that this machine saw and that a hub (its URL) is to hear of. *ret_number is 0
 * where there is none. */
MUST_USE bool capacity_deliveries_next(struct db *db, const char *hub,
                                       struct capacity_event *ret_event, long long *ret_number,
                                       struct error *err);

/* Keeps what a hub has said of an event, durably. `refusal` is why it does not want it, or NULL.
 */
MUST_USE bool capacity_deliveries_record(struct db *db, const char *hub, long long number,
                                         const char *refusal, long long now_us,
                                         struct error *err);

/* Makes every event that the hub has refused wait again, durably. */
MUST_USE bool capacity_deliveries_forget_refusals(struct db *db, const char *hub,
                                                  struct error *err);

/* How many wait. */
MUST_USE bool capacity_deliveries_waiting(struct db *db, const char *hub, long long *ret_count,
                                          struct error *err);
