/* The answer of the CI gate in each of its formats, as openapi.json describes it. */
#pragma once

#include "answers/gate/judge.h"
#include "common/json_writer.h"

void present_check(struct json_writer *out, const struct gate_check *check);

/* A short Markdown table for a comment. Its links begin with the address (public_address.h). */
bool present_check_markdown(struct bytes *text, const struct gate_check *check,
                            const char *address);

/* Numbers for other tools' histories: the "customBiggerIsBetter" of github-action-benchmark, and
 * Bencher's metric format. A run that says nothing gives an empty list: none of them has a word
 * for "not known". */
void present_check_github(struct json_writer *out, const struct gate_check *check);
void present_check_bencher(struct json_writer *out, const struct gate_check *check);
