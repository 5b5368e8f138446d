/* Carries sweeps on between runs: the next round of a tune, another try for a run that was
 * interrupted, the end when all is done. What it knows it reads from the database each time, so a
 * killed server goes on where it was. */
#pragma once

#include "db/db.h"
#include "server/here.h"
#include "server/live.h"
#include "server/whoami.h"

/* Looks at every sweep that is not over. Called by the runner, which is the only one to end
 * runs. Who watches a sweep is told of its end. */
bool sweeper_advance(struct db *db, const struct here *here, struct whoami *whoami,
                     struct live *live, struct error *err) __attribute__((warn_unused_result));
