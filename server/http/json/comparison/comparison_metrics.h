/* Samples per dollar of every row, as metrics for Prometheus. */
#pragma once

#include "answers/compare/comparison_cache.h"
#include "common/bytes.h"
#include "common/error.h"
#include "db/db.h"
#include "pricing/machine/identity.h"

/* Adds, for each workload, the rows of GET /v1/comparison without parameters, in Prometheus' text
 * format. */
MUST_USE bool comparison_metrics_write(struct db *db, struct comparison_cache *cache,
                                       const struct identity *here, struct bytes *text,
                                       struct error *err);
