/* The first step of the schema: all tables, from an empty file. */
#pragma once

#include "db/schema_step.h"

extern const struct schema_step schema_first;
