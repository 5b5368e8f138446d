/* What is wanted of a type, as JSON. openapi.json describes what is written here, and a test
 * holds the two together. */
#pragma once

#include "answers/compare/unmatched_lists.h"
#include "answers/types/wanted.h"
#include "common/json_writer.h"

/* At most `limit` of them. False at the limit of the text. */
bool present_wanted(struct json_writer *out, const struct wanted_question *question,
                    const struct wanted_list *list, size_t limit,
                    const struct unmatched_list *unmatched) __attribute__((warn_unused_result));
