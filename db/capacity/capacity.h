/* What happened when somebody asked for a machine: it was launched, was unavailable, or was
 * preempted. Events are counted per zone and type. */
#pragma once

#include "common/limits.h"
#include "db/db.h"

#include <stddef.h>

extern const char *const capacity_kinds[];       /* "launched", "launch_failed", "preempted" */
extern const char *const capacity_price_kinds[]; /* "on_demand", "spot" */

#define CAPACITY_DAYS 30 /* default period over which events are counted */

/* Texts have no control characters. */
struct capacity_event {
    const char *kind, *price_kind; /* words of the lists above */
    char provider[PROVIDER_SIZE], instance_type[INSTANCE_SIZE], zone[REGION_SIZE];
    char machine[64]; /* a name of the machine, so that it counts once for each kind; "" for none
                       */
    char note[128];
    char sender[TOKEN_NAME_SIZE]; /* whose token reported it; "" of the others */
    bool own;                     /* this machine saw it; to be reported to hubs */
    long long at_us;
};

/* ret_new: false if an event of this kind and machine is already stored. Raises the revision,
 * because comparisons show the counts. */
MUST_USE bool capacity_add(struct db *db, const struct capacity_event *event, bool *ret_new,
                           struct error *err);

/* Removes all events that the token of this name reported: nothing but the sender's word supports
 * them. Raises the revision. */
MUST_USE bool capacity_forget_sender(struct db *db, const char *sender, long long *ret_count,
                                     struct error *err);

struct capacity_count {
    char provider[PROVIDER_SIZE], instance_type[INSTANCE_SIZE], zone[REGION_SIZE];
    char price_kind[16];
    long long launched, launch_failed, preempted;
    long long first_us, newest_us;
};

struct capacity_filter {
    const char *provider, *instance_type, *zone, *price_kind, *sender; /* NULL for any */
    long long since_us;
    const char *after; /* "type provider zone kind" of the last row of the previous page; NULL */
    long long limit;
};

/* Calls tell() for each type, zone and price kind with an event since then, by name. */
MUST_USE bool capacity_each(struct db *db, const struct capacity_filter *filter,
                            void (*tell)(void *user, const struct capacity_count *count),
                            void *user, struct error *err);

/* Counts of spot machines per type, for a comparison. */
struct capacity_counts {
    struct capacity_count *list; /* owned; with zones left out */
    size_t count;
};

/* Counts of the CAPACITY_DAYS before a moment. `zone`: only this one; NULL: all. */
MUST_USE bool capacity_counts_load(struct db *db, long long at_us, const char *zone,
                                   struct capacity_counts *ret_counts, struct error *err);
void capacity_counts_free(struct capacity_counts *counts); /* a zeroed one is fine */

/* NULL where there was no event. */
const struct capacity_count *capacity_counts_find(const struct capacity_counts *counts,
                                                  const char *provider,
                                                  const char *instance_type);
