/* Which runs are wanted: one way to ask, for pages of them and for those that leave. */
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
    long long since_us, until_us; /* created from then on, before then; 0 is no bound. A run of
                                     which the time is not known is within none */
    const char *unreported_to;    /* only runs of which this hub has said nothing */
    bool whole;                   /* only runs that have all their steps still */
    int label_count;
    struct wanted_label labels[RUN_FILTER_LABELS];
    long long before, after; /* only runs with a smaller, a larger number; 0 is no bound */
    long long limit;
};

/* Prepares `select` ("SELECT ... FROM runs") for the runs of a filter, `limit` of them at most,
 * in an order ("number DESC"), and binds it. It has so many shapes that it is prepared for one
 * use: no client can fill the connection's table of statements. For run_filter_done(). */
struct run_query {
    const char *select, *order;
    bool
        by_creation; /* in the order "created_us DESC, number DESC", which `before` follows too */
    const struct run_filter *filter;
    long long limit;
};
MUST_USE bool run_filter_prepare(struct db *db, const struct run_query *wanted,
                                 struct stmt *ret_query, struct error *err);

/* A zeroed one is fine. */
void run_filter_done(struct stmt *query);
