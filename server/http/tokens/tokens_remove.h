/* Takes tokens out of the file of --tokens. */
#pragma once

#include "common/error.h"

#include <stdbool.h>

/* Takes the lines of a name out of the file, all else stays; the file is replaced in one step and
 * keeps its mode and owner. *ret_found is false where no line has this name. */
MUST_USE bool tokens_remove(const char *file, const char *name, bool *ret_found,
                            struct error *err);
