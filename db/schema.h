/* The schema as numbered steps: a database of any earlier version becomes today's. */
#pragma once

#include "common/error.h"

#include <stdbool.h>

struct db;

/* How many migrations there are, and so the newest version. */
extern const int schema_version;

/* Refuses a file that belongs to another program or to a newer pennyworth; changes nothing. */
bool schema_check(struct db *db, struct error *err) __attribute__((warn_unused_result));

/* Runs the migrations that are missing up to `version`, in one transaction. */
bool schema_migrate_to(struct db *db, int version, struct error *err)
    __attribute__((warn_unused_result));
