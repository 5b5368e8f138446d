/* Files of an option that are read whole: certificates, tokens. */
#pragma once

#include "common/bytes.h"
#include "common/error.h"

/* Adds all of the file to the bytes. ERROR_INVALID with the option as field when it cannot be
 * read, or has more than fits. Never waits for a writer. */
bool option_file_read(const char *flag, const char *path, struct bytes *text, struct error *err)
    __attribute__((warn_unused_result));
