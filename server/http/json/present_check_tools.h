/* The answer of the CI gate for the histories of other tools. */
#pragma once

#include "answers/gate/judge.h"
#include "common/rows/members.h"

/* Numbers in the formats "customBiggerIsBetter" of github-action-benchmark, and of Bencher. A run
 * without a verdict gives an empty list: neither format has a value for "unknown". */
void present_check_github(struct json_writer *out, const struct gate_check *check);
void present_check_bencher(struct json_writer *out, const struct gate_check *check);

extern const struct members benchmark_point_members, bencher_metric_members;
