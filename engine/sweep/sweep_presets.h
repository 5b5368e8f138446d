/* The sets that need no list: each knows its own, and takes from the machine what it must. */
#pragma once

#include "engine/sweep/sweep_cells.h"

/* Adds the cells of a preset. The matrix and the lists that a client gave are not its matter. */
MUST_USE bool sweep_add_preset(struct sweep *sweep, const struct place *place, struct error *err);
