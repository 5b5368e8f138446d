/* A set of runs with one answer, as a client asks for it: a base spec with lists of values for
 * some of its fields, or a preset that knows such lists. What is asked becomes cells: specs, each
 * of which is run once in each block. */
#pragma once

#include "common/body.h"
#include "engine/sweep/sweep_cells.h"

#include <stdbool.h>
#include <stddef.h>

/* The bodies of POST /v1/sweeps and POST /v1/aa, for their descriptions. */
extern const struct body sweep_body, aa_body;

/* Reads {"preset", "base", "knobs", "cells", "blocks", "pairs", "budget_seconds"}. Every cell's
 * spec is read as a run's is, and errors name the field, "base.threads" or "knobs.batch_size". A
 * cell that is not possible on this machine is kept with the reason, but a set without any that
 * is fails. *ret_sweep is written only on success; the caller gives it to sweep_clear(). */
MUST_USE bool sweep_from_text(const char *text, size_t length, const struct place *place,
                              struct sweep *ret_sweep, struct error *err);

/* The preset that a stored request asked for; SWEEP_MATRIX where it names none that is known. */
enum sweep_preset sweep_preset_of(const char *request);

/* "matrix", "ladder" ...; NULL-terminated, in the order of the enum. */
extern const char *const sweep_preset_names[];
