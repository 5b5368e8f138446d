/* The shape of filters that match nothing: in a comparison, and in a list of runs. */
#pragma once

#include "answers/compare/unmatched.h"
#include "common/json_writer.h"

void present_unmatched(struct json_writer *out, const struct unmatched *list, size_t count);
