/* Unpacks gzip, recognised by its first two bytes. HTTP headers are ignored: AWS's page feed
 * sends gzip unasked, and without a header that says so. */
#pragma once

#include "common/error.h"

#include <stddef.h>

/* Gets the unpacked data; return false to stop. */
typedef bool unpack_fn(void *user, const char *data, size_t length, struct error *err);

struct unpack;
struct unpack *unpack_new(unpack_fn *taker, void *user);
void unpack_freep(struct unpack **unpack);

MUST_USE bool unpack_feed(struct unpack *unpack, const char *data, size_t length,
                          struct error *err);

/* At the end of the bytes: false if the gzip data are truncated. */
MUST_USE bool unpack_end(struct unpack *unpack, struct error *err);
