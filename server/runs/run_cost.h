/* Where a run is measured, and what an hour of that costs: kept with the run as it is when that
 * begins, for feeds go on, and runs of the past must not change. */
#pragma once

#include "engine/run/run.h"
#include "server/prices/cost_json.h"

/* A price that cannot be read is unknown, and the log says why. */
void run_cost_look(struct this_machine *here, struct db *db, const struct run *run,
                   struct run_cost *ret_cost);

/* Once the run has ended: the mean of a spot price over its time, where the history of that price
 * knows that it moved; and of a run that began without a price what was typed meanwhile. */
void run_cost_follow(struct this_machine *here, struct db *db, const struct run *run,
                     struct run_cost *cost);

/* Into the run, once that has ended, with what is known by then of which machine this is.
 * A run that did not finish trained nothing that could be counted. */
void run_cost_keep(struct run *run, const struct run_cost *cost, struct this_machine *here);
