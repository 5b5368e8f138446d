/* The steps of a run as text, for transfer and for storing imported runs. trace_evidence.h has
 * the rest of a trace. */
#pragma once

#include "common/bytes.h"
#include "common/error.h"
#include "common/limits.h"
#include "engine/trace/steps.h"

#include <stdbool.h>
#include <stddef.h>

/* {"nanoseconds":[...],"loss":[...],"input":[...],"forward":[...],"backward":[...],
 *  "update":[...],"communication":[...]}: the splits only where any step has one. Every double is
 * written so that it reads back the same. */
MUST_USE bool trace_write_steps(struct bytes *text, const struct steps *steps);

/* Reads that text, with blanks anywhere JSON allows them. Every number must be within its limits
 * (engine/protocol/event.h has the limits of a step), all arrays equally long; else ERROR_INVALID
 * names the field, "steps.loss[17]", and says why. The caller frees the result, also after a
 * failure. */
MUST_USE bool trace_read_steps(const char *text, size_t length, struct steps *ret_steps,
                               struct error *err);
