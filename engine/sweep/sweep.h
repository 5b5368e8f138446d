/* A sweep request: a base spec with lists of values for some of its fields, or a preset with its
 * own lists. It becomes cells: specs, each run once per block. */
#pragma once

#include "common/rows/body.h"
#include "engine/sweep/sweep_cells.h"

#include <stdbool.h>
#include <stddef.h>

/* The bodies of POST /v1/sweeps and POST /v1/aa, for their schemas. */
extern const struct body sweep_body, aa_body;

/* Reads {"preset", "base", "knobs", "cells", "blocks", "pairs", "budget_seconds"}. Every cell's
 * spec is read like a run's, and errors name the field, "base.threads" or "knobs.batch_size". A
 * cell that cannot run on this machine is kept with the reason; if none can, it fails. *ret_sweep
 * is written only on success; the caller clears it with sweep_clear(). */
MUST_USE bool sweep_from_text(const char *text, size_t length, const struct place *place,
                              struct sweep *ret_sweep, struct error *err);

/* The preset of a stored request; SWEEP_MATRIX if it names no known one. */
enum sweep_preset sweep_preset_of(const char *request);

/* "matrix", "ladder" ...; NULL-terminated, in the order of the enum. */
extern const char *const sweep_preset_names[];
