/* Records the machine and its price with a run when it begins: later price changes must not alter
 * past runs. */
#pragma once

#include "engine/run/run.h"
#include "server/prices/cost_json.h"

/* A price that cannot be read is logged and counts as unknown. */
void run_cost_look(struct this_machine *here, struct db *db, const struct run *run,
                   struct run_cost *ret_cost);

/* Call after the run: sets the mean of a spot price that moved during the run, or a price typed
 * meanwhile if there was none. */
void run_cost_follow(struct this_machine *here, struct db *db, const struct run *run,
                     struct run_cost *cost);

/* Stores the cost in the ended run, with the machine's identity as known by now. A run that did
 * not finish gets no cost of samples. */
void run_cost_keep(struct run *run, const struct run_cost *cost, struct this_machine *here);
