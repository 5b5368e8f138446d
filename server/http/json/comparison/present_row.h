/* A row of a comparison as JSON. */
#pragma once

#include "common/rows/members.h"
#include "server/http/json/comparison/comparison_view.h"

extern const struct members comparison_row_members; /* of struct comparison_view */
extern const struct members throughput_members;     /* of struct comparison_row */
#define ROW_ID_PATTERN "^[0-9a-f]{16}$"

/* The throughput of a row, or NULL. */
const void *comparison_find_throughput(const void *row);

/* Tokens a second of a row, with interval; false if the workload does not train on text or the
 * row has no speed in samples. */
MUST_USE bool comparison_tokens(const struct comparison_question *question,
                                const struct comparison_row *row, struct amount *ret_speed);

/* "measured" here, "imported" (all its runs), or "published" by others. */
const char *comparison_provenance(const struct contender *contender);
