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

/* Allocates room for `length` more bytes and the NUL; false beyond the limit. */
MUST_USE bool bytes_reserve(struct bytes *bytes, size_t length);

/* Makes the bytes longer and returns where the new ones begin: the caller fills them. NULL beyond
 * the limit. */
MUST_USE static inline char *bytes_extend(struct bytes *bytes, size_t length)
{
    char *end;

    if (length >= bytes->size - bytes->used && !bytes_reserve(bytes, length))
        return NULL;
    end = bytes->data + bytes->used;
    bytes->used += length;
    end[length] = '\0';
    return end;
}

/* Both return false beyond the limit, and then leave the bytes unchanged. */
MUST_USE static inline bool bytes_add(struct bytes *bytes, const void *data, size_t length)
{
    char *end = bytes_extend(bytes, length);

    if (end && length > 0)
        memcpy(end, data, length);
    return end != NULL;
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
