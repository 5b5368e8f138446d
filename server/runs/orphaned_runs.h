/* Runs that were under way when the server was killed or lost power. */
#pragma once

#include "db/db.h"

/* Ends them as interrupted and kills the processes of their workers that remain. */
bool orphaned_runs_close(struct db *db, struct error *err) __attribute__((warn_unused_result));
