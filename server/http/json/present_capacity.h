/* JSON of capacity events and their counts. */
#pragma once

#include "common/rows/members.h"
#include "db/capacity/capacity.h"

extern const struct members capacity_event_members; /* of struct capacity_event */
extern const struct members capacity_count_members; /* of struct capacity_count */
/* The counts in a comparison's row: all zones, over CAPACITY_DAYS. */
extern const struct members row_capacity_members;
