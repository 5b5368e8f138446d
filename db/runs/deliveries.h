/* What hubs have said of the runs that were measured here. The database is the spool: a finished
 * run of which a hub has said nothing is still to be reported to it, whatever became of earlier
 * attempts. A hub is named by its URL. */
#pragma once

#include "db/runs/exports.h"

#include <stddef.h>

enum delivery_verdict {
    DELIVERY_WAITING,  /* nothing was heard of it */
    DELIVERY_ACCEPTED, /* the hub has it */
    DELIVERY_REFUSED,  /* it does not want it, as it is */
};

#define DELIVERY_REASON_MAX 399

struct delivery {
    long long run; /* its number */
    enum delivery_verdict verdict;
    char reason[DELIVERY_REASON_MAX + 1]; /* of a refusal */
};

/* Tells, like exports_each(), of the runs that are to be reported to a hub: measured here,
 * finished, with all their steps; with a number above `after`, the oldest first. */
MUST_USE bool deliveries_each(struct db *db, const char *hub, long long after,
                              const struct export_reader *reader, struct error *err);

/* Keeps what a hub has said, durably, all of it or nothing. What was accepted stays so. */
MUST_USE bool deliveries_record(struct db *db, const char *hub, const struct delivery *list,
                                size_t count, long long now_us, struct error *err);

/* Makes every run that the hub has refused wait again, durably. What was accepted stays so. */
MUST_USE bool deliveries_forget_refusals(struct db *db, const char *hub, struct error *err);

/* What is known of one run. */
MUST_USE bool deliveries_find(struct db *db, const char *hub, long long run,
                              struct delivery *ret_delivery, struct error *err);

struct delivery_counts {
    long long waiting, accepted, refused;
    long long thinned; /* would wait, but their steps are gone */
};
MUST_USE bool deliveries_count(struct db *db, const char *hub, struct delivery_counts *ret_counts,
                               struct error *err);
