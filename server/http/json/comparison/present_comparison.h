/* A comparison as JSON. */
#pragma once

#include "server/http/json/comparison/present_row.h"

extern const struct members comparison_members; /* of struct comparison_view, without a row */
