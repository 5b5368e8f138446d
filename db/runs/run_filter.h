/* Selects runs, for pages and for exports. */
#pragma once

#include "db/stmt.h"

#define RUN_FILTER_LABELS 4

struct wanted_label {
    const char *key, *value;
};

/* NULL means any; labels must all match. */
struct run_filter {
    const char *state, *engine, *workload, *instance, *provenance, *sender;
    const char *precision, *validity;
    long long since_us, until_us; /* created from then on, before then; 0 is no bound. A run
                                   * without a time is in no range */
    const char *unreported_to;    /* only runs that this hub has not answered */
    bool whole;                   /* only runs that still have all their steps */
    int label_count;
    struct wanted_label labels[RUN_FILTER_LABELS];
    long long before, after; /* only runs with a smaller, a larger number; 0 is no bound */
    long long limit;
};

/* Prepares `select` ("SELECT ... FROM runs") for the runs of a filter, at most `limit`, in an
 * order ("number DESC"), and binds it. The statement is not cached: there are so many variants
 * that clients could fill the connection's table. For run_filter_done(). */
struct run_query {
    const char *select, *order;
    bool by_creation; /* in the order "created_us DESC, number DESC"; `before` follows it too */
    const struct run_filter *filter;
    long long limit;
};
MUST_USE bool run_filter_prepare(struct db *db, const struct run_query *wanted,
                                 struct stmt *ret_query, struct error *err);

/* A zeroed one is fine. */
void run_filter_done(struct stmt *query);
