/* A buffer that grows up to a limit it must be given at birth:
 *     AUTO(bytes_free) struct bytes body = {.limit = 64 * 1024};
 * The data are always followed by a NUL that `used` does not count. */
#pragma once

#include "common/must_use.h"

#include <stdbool.h>
#include <stddef.h>

struct error;

struct bytes {
    char *data;        /* NULL until something was added */
    size_t used, size; /* size: what was allocated */
    size_t limit;      /* adding beyond this fails */
};

/* Both return false beyond the limit, and then leave the bytes as they were. */
MUST_USE bool bytes_add(struct bytes *bytes, const void *data, size_t length);
bool bytes_printf(struct bytes *bytes, const char *format, ...)
    __attribute__((format(printf, 2, 3), warn_unused_result));

/* Says that what is written is longer than the limit: "the answer is longer than 4096 bytes".
 * `what` is its name. Always returns false. */
bool bytes_too_long(const struct bytes *bytes, const char *what, struct error *err);

/* Takes the first `length` bytes away and moves the rest forward. */
void bytes_drop(struct bytes *bytes, size_t length);

/* Gives back memory that holds no data. */
void bytes_fit(struct bytes *bytes);

/* Frees the data; the limit stays, so the buffer can be used again. */
void bytes_free(struct bytes *bytes);
