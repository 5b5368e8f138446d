/* Undoes gzip where the first two bytes are those of gzip. The headers are not looked at: AWS's
 * page feed sends gzip unasked, and without a header that says so. */
#pragma once

#include "common/error.h"

#include <stddef.h>

/* Gets what was unpacked; false ends it. */
typedef bool unpack_fn(void *user, const char *data, size_t length, struct error *err);

struct unpack;
struct unpack *unpack_new(unpack_fn *taker, void *user);
void unpack_free(struct unpack *unpack); /* NULL is fine */
void unpack_freep(struct unpack **unpack);

MUST_USE bool unpack_feed(struct unpack *unpack, const char *data, size_t length,
                          struct error *err);

/* At the end of the bytes: false when something packed is cut short. */
MUST_USE bool unpack_end(struct unpack *unpack, struct error *err);
