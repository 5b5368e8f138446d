/* A row of a comparison as JSON. */
#pragma once

#include "common/rows/members.h"
#include "server/http/json/comparison/comparison_view.h"

extern const struct members comparison_row_members; /* of struct comparison_view */
extern const struct members throughput_members;     /* of struct comparison_row */
#define ROW_ID_PATTERN "^[0-9a-f]{16}$"

/* The throughput of a row, or NULL. */
const void *comparison_find_throughput(const void *row);
