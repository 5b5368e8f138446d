/* Runs that were under way when the server ended without a word. */
#pragma once

#include "db/db.h"

/* Ends them as interrupted, and kills what is left of their workers. */
bool orphaned_runs_close(struct db *db, struct error *err) __attribute__((warn_unused_result));
