/* The answer of the CI gate as Markdown. */
#pragma once

#include "answers/gate/judge.h"
#include "common/bytes.h"

/* A short table for a comment. Its links begin with the address (public_address.h). */
bool present_check_markdown(struct bytes *text, const struct gate_check *check,
                            const char *address);
