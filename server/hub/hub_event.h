/* Writes a preemption for the hub's POST /v1/capacity. */
#pragma once

#include "common/bytes.h"
#include "db/capacity/capacity.h"

/* False at the limit of the text. */
MUST_USE bool hub_event_write(struct bytes *text, const struct capacity_event *event);
