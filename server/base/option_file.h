/* Reads the whole file that an option names: a certificate, tokens. */
#pragma once

#include "common/bytes.h"
#include "common/error.h"

/* Adds the whole file to `text`. ERROR_INVALID with the option as field if the file cannot be
 * read or does not fit. Never waits for a writer of a pipe. */
MUST_USE bool option_file_read(const char *flag, const char *path, struct bytes *text,
                               struct error *err);
