/* Errors for a file or folder that could not be opened or made; they say what to change. */
#pragma once

#include "common/error.h"

/* Fills *err with "cannot VERB PATH: REASON" for the errno `number`. For missing permissions it
 * also names the file or folder, its owner, the user of this process, and a fix; for a read-only
 * file system, what to mount. `path` is the database or a part of its path. Always returns false,
 * as error_set() does. */
bool file_error_set(struct error *err, enum error_kind kind, const char *field, const char *verb,
                    const char *path, int number);
