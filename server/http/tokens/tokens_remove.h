/* Removes tokens from the file of --tokens. */
#pragma once

#include "common/error.h"

#include <stdbool.h>

/* Removes the lines of a name and keeps the rest. Replaces the file atomically; mode and owner
 * stay. *ret_found is false if no line has this name. */
MUST_USE bool tokens_remove(const char *file, const char *name, bool *ret_found,
                            struct error *err);
