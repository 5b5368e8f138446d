/* List filters that match nothing stored, so that a typo gets known values and not an empty
 * list. */
#pragma once

#include "answers/compare/unmatched.h"
#include "db/capacity/capacity.h"
#include "db/prices/catalogue.h"
#include "db/prices/known_types.h"
#include "db/prices/price_list.h"
#include "db/runs/run_filter.h"

/* The matches so far; zeroed, it is empty. */
struct unmatched_list {
    struct unmatched list[UNMATCHED_MAX];
    size_t count;
};

/* Adds an unmatched value, cut if too long; `words` says what was searched. */
void unmatched_add(struct unmatched_list *list, const char *parameter, const char *value,
                   const char *words);

/* Each function checks every value of a filter on its own, against all that is stored, and adds
 * the values that nothing has. */

/* Runs in any state: workload, engine, type, sender, labels. */
MUST_USE bool unmatched_runs(struct db *db, const struct run_filter *filter,
                             struct unmatched_list *list, struct error *err);
/* The sender of a comparison. STANDING_SENDER_LOCAL matches if any run was measured here. */
MUST_USE bool unmatched_sender(struct db *db, const char *sender, struct unmatched_list *list,
                               struct error *err);
/* Prices of any time: provider, region, zone, type, feed, kind. */
MUST_USE bool unmatched_prices(struct db *db, const struct price_filter *filter,
                               struct unmatched_list *list, struct error *err);
/* Types that feeds list; `region` is the one whose prices are wanted, or NULL. */
MUST_USE bool unmatched_types(struct db *db, const struct type_filter *filter, const char *region,
                              struct unmatched_list *list, struct error *err);
/* Types that feeds list or runs were measured on. */
MUST_USE bool unmatched_known_types(struct db *db, const struct known_type_filter *filter,
                                    struct unmatched_list *list, struct error *err);
/* Capacity events. */
MUST_USE bool unmatched_events(struct db *db, const struct capacity_filter *filter,
                               struct unmatched_list *list, struct error *err);
