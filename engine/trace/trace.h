/* The steps of a run, and what was seen of the machine meanwhile, as text: how traces travel
 * between machines, and how those that were imported are kept. */
#pragma once

#include "common/bytes.h"
#include "common/error.h"
#include "common/limits.h"
#include "engine/trace/evidence.h"
#include "engine/trace/steps.h"

#include <stdbool.h>
#include <stddef.h>

/* {"nanoseconds":[...],"loss":[...],"input":[...],"forward":[...],"backward":[...],
 *  "update":[...],"communication":[...]}: the splits only where any step has one. Every double is
 * written so that it reads back the same. */
bool trace_write_steps(struct bytes *text, const struct steps *steps)
    __attribute__((warn_unused_result));

/* {"observations":[[...],...],"canaries":[[steps, hertz, copy_bytes_per_second],...]}; the
 * columns of an observation are those of engine/trace/observation.h, in its order. */
bool trace_write_evidence(struct bytes *text, const struct evidence *evidence)
    __attribute__((warn_unused_result));

/* Reads what those write, with blanks anywhere JSON has them; quickly, for a run of a hundred
 * steps is mostly this. Every number within its limits (engine/protocol/event.h says which a step
 * has), all arrays equally long; else ERROR_INVALID names the field, "steps.loss[17]", and says
 * why. The caller frees what was read, also after a failure. */
bool trace_read_steps(const char *text, size_t length, struct steps *ret_steps, struct error *err)
    __attribute__((warn_unused_result));
bool trace_read_evidence(const char *text, size_t length, struct evidence *ret_evidence,
                         struct error *err) __attribute__((warn_unused_result));
