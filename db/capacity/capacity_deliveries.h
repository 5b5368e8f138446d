/* What hubs answered to the preemptions that this machine reported. As with runs
 * (db/runs/deliveries.h), the database is the spool: an event is due until the hub has
 * answered. */
#pragma once

#include "db/capacity/capacity.h"

#include <stdbool.h>

/* The oldest event of this machine that a hub (its URL) has not answered. *ret_number is 0 if
 * there is none. */
MUST_USE bool capacity_deliveries_next(struct db *db, const char *hub,
                                       struct capacity_event *ret_event, long long *ret_number,
                                       struct error *err);

/* Stores a hub's answer to an event, durably. `refusal` is its reason for a refusal, or NULL. */
MUST_USE bool capacity_deliveries_record(struct db *db, const char *hub, long long number,
                                         const char *refusal, long long now_us,
                                         struct error *err);

/* Queues every event that the hub has refused again, durably. */
MUST_USE bool capacity_deliveries_forget_refusals(struct db *db, const char *hub,
                                                  struct error *err);

/* How many wait. */
MUST_USE bool capacity_deliveries_waiting(struct db *db, const char *hub, long long *ret_count,
                                          struct error *err);
