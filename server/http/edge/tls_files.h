/* Reads the certificate and its key. */
#pragma once

#include "common/bytes.h"
#include "server/base/config.h"

#define TLS_FILE_MAX (1024 * 1024)

/* Both empty without TLS. */
struct tls_files {
    struct bytes certificate, key; /* PEM */
};

/* Reads the files that the options name, if any. ERROR_INVALID names the option at fault; whether
 * the two match shows only in use. Logs a warning for a key that other users can read. Call
 * tls_files_clear() afterwards, also on failure. */
MUST_USE bool tls_files_read(const struct config *config, struct tls_files *files,
                             struct error *err);

/* Wipes the key from memory. A zeroed struct is fine. */
void tls_files_clear(struct tls_files *files);
