/* Runs that were under way when the server was killed or lost power. */
#pragma once

#include "db/db.h"

/* Ends them as interrupted and kills the processes of their workers that remain. */
MUST_USE bool orphaned_runs_close(struct db *db, struct error *err);
