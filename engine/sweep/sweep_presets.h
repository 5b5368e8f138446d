/* Presets of sweeps: each has its own lists; some depend on the machine. */
#pragma once

#include "engine/sweep/sweep_cells.h"

/* Adds the cells of a preset; does nothing for the matrix and for lists of the client. */
MUST_USE bool sweep_add_preset(struct sweep *sweep, const struct place *place, struct error *err);
