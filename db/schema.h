/* The schema as steps: each upgrades a database from one version to the next. Version 0 is an
 * empty file. */
#pragma once

#include "db/db.h"
#include "db/schema_step.h"

struct schema {
    const struct schema_step *const *steps;
    int version; /* number of steps, and so the newest version */
};

/* This program's schema. The first step (schema_first.h) makes all tables. */
extern const struct schema schema_today;

/* Refuses a file of another program or of a newer pennyworth; changes nothing. */
MUST_USE bool schema_check(struct db *db, const struct schema *schema, struct error *err);

/* Applies the missing steps, in one transaction, and adds missing checksums of runs. */
MUST_USE bool schema_upgrade(struct db *db, const struct schema *schema, struct error *err);
