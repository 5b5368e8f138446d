/* The next version of the schema, as a test makes it up: what an upgrade promises can be seen
 * with it, whatever the schema of today is. */
#pragma once

#include "db/schema.h"
#include "db/schema_first.h"
#include "tests/test.h"

static const struct schema_step made_up_step = {
    {"ALTER TABLE runs ADD COLUMN made_up INTEGER;"
     "UPDATE runs SET made_up = 2 * number, checksum = NULL;",
     "CREATE TABLE made_up (run INTEGER NOT NULL REFERENCES runs (number)) STRICT;"
     "INSERT INTO made_up SELECT number FROM runs;"}};
static const struct schema_step *const made_up_steps[] = {&schema_first, &made_up_step};
static const struct schema made_up_schema = {made_up_steps, COUNT(made_up_steps)};
