/* Filters of lists that match nothing stored, so that a typo is answered with what there is and
 * not with an empty list. */
#pragma once

#include "answers/compare/unmatched.h"
#include "db/capacity/capacity.h"
#include "db/prices/catalogue.h"
#include "db/prices/known_types.h"
#include "db/prices/price_list.h"
#include "db/runs/run_filter.h"

/* What was found so far; a zeroed one is empty. */
struct unmatched_list {
    struct unmatched list[UNMATCHED_MAX];
    size_t count;
};

/* Adds a value, cut where it is too long, and what it matches nothing of. */
void unmatched_add(struct unmatched_list *list, const char *parameter, const char *value,
                   const char *words);

/* Each looks for each value of a filter by itself, among everything of its kind that is stored,
 * and adds those that nothing has. */

/* Of runs: workload, engine, type, sender and labels, in any state. */
MUST_USE bool unmatched_runs(struct db *db, const struct run_filter *filter,
                             struct unmatched_list *list, struct error *err);
/* Of the sender of a comparison: STANDING_SENDER_LOCAL is found where any run was measured here.
 */
MUST_USE bool unmatched_sender(struct db *db, const char *sender, struct unmatched_list *list,
                               struct error *err);
/* Of prices: provider, region, zone, type, feed and kind, at any time. */
MUST_USE bool unmatched_prices(struct db *db, const struct price_filter *filter,
                               struct unmatched_list *list, struct error *err);
/* Of types that feeds list, and the region whose prices are wanted, or NULL. */
MUST_USE bool unmatched_types(struct db *db, const struct type_filter *filter, const char *region,
                              struct unmatched_list *list, struct error *err);
/* Of types that feeds list or runs were measured on. */
MUST_USE bool unmatched_known_types(struct db *db, const struct known_type_filter *filter,
                                    struct unmatched_list *list, struct error *err);
/* Of machines that were wanted. */
MUST_USE bool unmatched_events(struct db *db, const struct capacity_filter *filter,
                               struct unmatched_list *list, struct error *err);
