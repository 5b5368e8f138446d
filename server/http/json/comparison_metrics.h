/* Samples per dollar of every row, for whoever draws them over time. */
#pragma once

#include "common/bytes.h"
#include "common/error.h"
#include "db/db.h"
#include "pricing/machine/identity.h"
#include "server/compare/comparison_cache.h"

/* Adds, in Prometheus' text format, what GET /v1/comparison answers without parameters, for each
 * workload that there is. */
bool comparison_metrics_write(struct db *db, struct comparison_cache *board,
                              const struct identity *here, struct bytes *text, struct error *err)
    __attribute__((warn_unused_result));
