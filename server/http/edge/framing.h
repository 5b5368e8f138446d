/* Where a request ends, as its header says: checked field by field, because a proxy in front that
 * reads a header differently makes two requests of one (request smuggling). What could be read in
 * two ways is refused, and the connection ends. Pure functions over the header as it was sent.
 *
 *     struct framing framing = framing_begin(first);
 *     for each field: framing_field(&framing, ...);
 *     if (!framing_check(&framing, is_1_1, end, &err)) refuse;
 */
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

struct framing {
    const char
        *next; /* where the next line begins, in the header as it was sent; NULL: unknown */
    const char *fault; /* the first one: static text; NULL for none */
    int hosts, lengths, codings;
};

/* `first` is where the first field begins in memory, where the fields lie one behind the other as
 * they were sent; NULL where they do not, and a library has refused what only that would show:
 * folded lines and those that end without CR LF. */
struct framing framing_begin(const char *first);

void framing_field(struct framing *framing, const char *name, size_t name_length,
                   const char *value, size_t value_length);

/* `end` is where the header ends, behind its empty line; not used where `first` was NULL.
 * `is_1_1` is false for HTTP/1.0, which needs no Host and has no codings. */
bool framing_check(const struct framing *framing, bool is_1_1, const char *end,
                   struct error *err);
