/* The names of versions (engine/run/version.h), each stored once. */
#pragma once

#include "db/db.h"

/* The number of a name; adds a new one. In the caller's transaction. */
MUST_USE bool versions_put(struct db *db, const char *name, long long *ret_number,
                           struct error *err);
