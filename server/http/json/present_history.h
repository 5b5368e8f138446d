/* The shape of histories with their changes; openapi.json describes it, and a test holds the two
 * together. */
#pragma once

#include "answers/compare/unmatched.h"
#include "common/json_writer.h"
#include "db/standings/histories.h"

/* Writes the members that are about all lines, opens the list of them, and closes all that. */
void present_histories_begin(struct json_writer *out, const char *workload,
                             const struct histories *histories);
void present_histories_end(struct json_writer *out, const struct unmatched *unmatched,
                           size_t count);

/* One of the lines, with what history_changes_find() says of its runs. */
void present_history(struct json_writer *out, const struct history_line *line,
                     const struct history_changes *changes);
