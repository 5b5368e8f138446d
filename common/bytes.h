/* A buffer that grows up to a limit, which must be set at the start:
 *     AUTO(bytes_free) struct bytes body = {.limit = 64 * 1024};
 * A NUL always follows the data; `used` does not count it. */
#pragma once

#include "common/must_use.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct error;

struct bytes {
    char *data;        /* NULL while empty */
    size_t used, size; /* size: what was allocated */
    size_t limit;      /* adding beyond this fails */
};

/* Of bytes_add(), where more must be allocated. */
MUST_USE bool bytes_add_growing(struct bytes *bytes, const void *data, size_t length);

/* Both return false beyond the limit, and then leave the bytes unchanged. */
MUST_USE static inline bool bytes_add(struct bytes *bytes, const void *data, size_t length)
{
    if (length >= bytes->size - bytes->used)
        return bytes_add_growing(bytes, data, length);
    if (length > 0)
        memcpy(bytes->data + bytes->used, data, length);
    bytes->used += length;
    bytes->data[bytes->used] = '\0';
    return true;
}

bool bytes_printf(struct bytes *bytes, const char *format, ...)
    __attribute__((format(printf, 2, 3), warn_unused_result));

/* Sets the error for a text beyond the limit: "the answer is longer than 4096 bytes". `what` is
 * its name. Always returns false. */
bool bytes_too_long(const struct bytes *bytes, const char *what, struct error *err);

/* Removes the first `length` bytes and moves the rest forward. */
void bytes_drop(struct bytes *bytes, size_t length);

/* Frees unused capacity. */
void bytes_fit(struct bytes *bytes);

/* Frees the data; the limit stays, so the buffer can be used again. */
void bytes_free(struct bytes *bytes);
