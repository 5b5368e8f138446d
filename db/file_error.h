/* A file or folder that could not be opened or made, in words that say what to change. */
#pragma once

#include "common/error.h"

/* Fills *err with "cannot VERB PATH: REASON" for the errno `number`. Where rights are the reason
 * it also names the file or folder that refuses, the user it belongs to, the user that this
 * process runs as, and what helps; where a file system is read-only, what to mount. `path` is the
 * database or a part of its path. Always returns false, as error_set() does. */
bool file_error_set(struct error *err, enum error_kind kind, const char *field, const char *verb,
                    const char *path, int number);
