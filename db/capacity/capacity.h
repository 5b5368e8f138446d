/* What became of machines that somebody wanted: launched, not to be had, taken back. Each is an
 * event; they are counted for each zone and type. */
#pragma once

#include "common/limits.h"
#include "db/db.h"

#include <stddef.h>

extern const char *const capacity_kinds[];       /* "launched", "launch_failed", "preempted" */
extern const char *const capacity_price_kinds[]; /* "on_demand", "spot" */

#define CAPACITY_DAYS 30 /* over which events are counted, where nothing else is asked */

/* Texts have no control characters. */
struct capacity_event {
    const char *kind, *price_kind; /* words of the lists above */
    char provider[PROVIDER_SIZE], instance_type[INSTANCE_SIZE], zone[REGION_SIZE];
    char machine[64]; /* a name of the machine, so that it counts once for each kind; "" for none
                       */
    char note[128];
    char sender[TOKEN_NAME_SIZE]; /* whose token reported it; "" of the others */
    bool own;                     /* this machine saw it itself, and hubs are to hear of it */
    long long at_us;
};

/* ret_new: false where an event of this kind and machine was stored before. Raises the revision,
 * because comparisons show the counts. */
MUST_USE bool capacity_add(struct db *db, const struct capacity_event *event, bool *ret_new,
                           struct error *err);

/* Removes all events that the token of this name reported. An event is a sender's word and
 * nothing more, so none is kept. Raises the revision. */
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
    const char *after; /* "type provider zone kind" of what an earlier answer ended with; NULL */
    long long limit;
};

/* Calls tell() for each type, zone and kind of price with an event since then, by name. */
MUST_USE bool capacity_each(struct db *db, const struct capacity_filter *filter,
                            void (*tell)(void *user, const struct capacity_count *count),
                            void *user, struct error *err);

/* Counts of spot machines alone, by type: what a comparison shows. */
struct capacity_counts {
    struct capacity_count *list; /* owned; with zones left out */
    size_t count;
};

/* Of CAPACITY_DAYS up to a moment. `zone`: only of this one; NULL: of all. */
MUST_USE bool capacity_counts_load(struct db *db, long long at_us, const char *zone,
                                   struct capacity_counts *ret_counts, struct error *err);
void capacity_counts_free(struct capacity_counts *counts); /* a zeroed one is fine */

/* NULL where there was no event. */
const struct capacity_count *capacity_counts_find(const struct capacity_counts *counts,
                                                  const char *provider,
                                                  const char *instance_type);
