/* Events of capacity and their counts, as JSON. openapi.json describes what is written here, and
 * a test holds the two together. */
#pragma once

#include "common/json_writer.h"
#include "db/capacity/capacity.h"

void present_capacity_event(struct json_writer *out, const struct capacity_event *event);

/* An element of the list. */
void present_capacity_count(struct json_writer *out, const struct capacity_count *count);

/* The member "capacity" of a comparison's row: NULL, and so null, where there was no event. */
void present_row_capacity(struct json_writer *out, const struct capacity_count *count);
