/* The labels that runs are filtered by, wherever they may be. */
#pragma once

#include "answers/query.h"
#include "db/runs/run_filter.h"
#include "engine/spec/run_spec.h"

/* All "label=KEY=VALUE" of a query; keys are cut from their values into `keys`. */
bool query_labels(const struct query *query, char keys[][LABEL_KEY_MAX + 1],
                  struct wanted_label labels[RUN_FILTER_LABELS], int *ret_count,
                  struct error *err) __attribute__((warn_unused_result));
