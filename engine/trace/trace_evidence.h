/* The evidence of a run as text, for transfer with the steps. */
#pragma once

#include "common/bytes.h"
#include "common/error.h"
#include "engine/trace/evidence.h"

#include <stdbool.h>
#include <stddef.h>

/* {"observations":[[...],...],"canaries":[[steps, hertz, copy_bytes_per_second],...]}; the
 * columns of an observation stand in engine/trace/observation.h, in its order. */
MUST_USE bool trace_write_evidence(struct bytes *text, const struct evidence *evidence);

/* Reads that text, as trace_read_steps() reads steps. The caller frees the result, also after a
 * failure. */
MUST_USE bool trace_read_evidence(const char *text, size_t length, struct evidence *ret_evidence,
                                  struct error *err);
