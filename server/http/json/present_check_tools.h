/* The answer of the CI gate for the histories of other tools. */
#pragma once

#include "answers/gate/judge.h"
#include "server/base/members.h"

/* Numbers for other tools' histories: the "customBiggerIsBetter" of github-action-benchmark, and
 * Bencher's metric format. A run that says nothing gives an empty list: none of them has a word
 * for "not known". */
void present_check_github(struct json_writer *out, const struct gate_check *check);
void present_check_bencher(struct json_writer *out, const struct gate_check *check);

extern const struct members benchmark_point_members, bencher_metric_members;
