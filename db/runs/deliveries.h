/* What hubs answered about the runs measured here. The database is the spool: a finished run
 * stays due until the hub has answered, whatever happened to earlier attempts. A hub is named by
 * its URL. */
#pragma once

#include "db/runs/exports.h"

#include <stddef.h>

enum delivery_verdict {
    DELIVERY_WAITING,  /* no answer yet */
    DELIVERY_ACCEPTED, /* the hub has it */
    DELIVERY_REFUSED,  /* the hub rejected the run */
};

#define DELIVERY_REASON_MAX 399

struct delivery {
    long long run; /* its number */
    enum delivery_verdict verdict;
    char reason[DELIVERY_REASON_MAX + 1]; /* of a refusal */
};

/* Like exports_each(), for the runs due to a hub: measured here, finished, with all their steps;
 * with a number above `after`, the oldest first. */
MUST_USE bool deliveries_each(struct db *db, const char *hub, long long after,
                              const struct export_reader *reader, struct error *err);

/* Stores a hub's answers, durably, all or none. An accepted run stays accepted. */
MUST_USE bool deliveries_record(struct db *db, const char *hub, const struct delivery *list,
                                size_t count, long long now_us, struct error *err);

/* Queues every run that the hub has refused again, durably. An accepted run stays accepted. */
MUST_USE bool deliveries_forget_refusals(struct db *db, const char *hub, struct error *err);

/* The state of one run. */
MUST_USE bool deliveries_find(struct db *db, const char *hub, long long run,
                              struct delivery *ret_delivery, struct error *err);

struct delivery_counts {
    long long waiting, accepted, refused;
    long long thinned; /* would be due, but their steps are gone */
};
MUST_USE bool deliveries_count(struct db *db, const char *hub, struct delivery_counts *ret_counts,
                               struct error *err);
