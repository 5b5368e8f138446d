/* The answer of the CI gate as JSON and Markdown, as openapi.json describes it. */
#pragma once

#include "answers/gate/judge.h"
#include "common/json_writer.h"

void present_check(struct json_writer *out, const struct gate_check *check);

/* A short Markdown table for a comment. Its links begin with the address (public_address.h). */
bool present_check_markdown(struct bytes *text, const struct gate_check *check,
                            const char *address);
