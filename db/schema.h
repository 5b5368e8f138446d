/* The schema as steps: each brings a database from one version to the next. Version 0 is a file
 * without anything in it. */
#pragma once

#include "db/db.h"
#include "db/schema_step.h"

struct schema {
    const struct schema_step *const *steps;
    int version; /* how many steps there are, and so the newest version */
};

/* What this program knows. The first step (schema_first.h) makes all tables. */
extern const struct schema schema_today;

/* Refuses a file that belongs to another program or to a newer pennyworth; changes nothing. */
MUST_USE bool schema_check(struct db *db, const struct schema *schema, struct error *err);

/* Takes the steps that are missing, in one transaction, and gives a checksum to each run that
 * should have one and has none. */
MUST_USE bool schema_upgrade(struct db *db, const struct schema *schema, struct error *err);
