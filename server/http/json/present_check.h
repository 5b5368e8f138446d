/* The answer of the CI gate in each of its forms. openapi.json describes what is written here. */
#pragma once

#include "common/json_writer.h"
#include "server/gate/judge.h"

void present_check(struct json_writer *out, const struct check *check);

/* A short table for a comment; paths, not addresses: who serves them is not for us to know. */
bool present_check_markdown(struct bytes *text, const struct check *check);

/* Numbers for other tools' histories: the "customBiggerIsBetter" of github-action-benchmark, and
 * Bencher's metric format. A run that says nothing gives an empty list: none of them has a word
 * for "not known". */
void present_check_github(struct json_writer *out, const struct check *check);
void present_check_bencher(struct json_writer *out, const struct check *check);
