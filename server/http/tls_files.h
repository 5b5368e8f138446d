/* The certificate and its key, as files. */
#pragma once

#include "common/bytes.h"
#include "server/base/config.h"

#define TLS_FILE_MAX (1024 * 1024)

/* Both empty without TLS. */
struct tls_files {
    struct bytes certificate, key; /* PEM */
};

/* Reads what the options name, if they do. ERROR_INVALID with the option says what is wrong; that
 * the two belong together is seen only when they are used. A key that others can read is told of
 * in the log. Whatever comes of it, tls_files_clear() comes after. */
bool tls_files_read(const struct config *config, struct tls_files *files, struct error *err)
    __attribute__((warn_unused_result));

/* Leaves nothing of the key in memory. A zeroed one is fine. */
void tls_files_clear(struct tls_files *files);
