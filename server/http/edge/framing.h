/* Protects against request smuggling: a proxy that reads a header differently would see two
 * requests in one. Checks each field that determines the length of a request; an ambiguous header
 * is refused, and the connection ends. Pure functions over the header as sent.
 *
 *     struct framing framing = framing_begin(first);
 *     for each field: framing_field(&framing, ...);
 *     if (!framing_check(&framing, is_1_1, end, &err)) refuse; */
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

struct framing {
    const char *next;  /* the next line of the header as sent; NULL: unknown */
    const char *fault; /* the first: static text; NULL: none */
    int hosts, lengths, codings;
};

/* `first` points to the first field, if the fields lie in memory as sent. Else NULL: the library
 * must then have refused folded lines and lines without CR LF. */
struct framing framing_begin(const char *first);

void framing_field(struct framing *framing, const char *name, size_t name_length,
                   const char *value, size_t value_length);

/* `end` points behind the header's empty line; ignored if `first` was NULL. `is_1_1` is false for
 * HTTP/1.0, which needs no Host and has no codings. */
bool framing_check(const struct framing *framing, bool is_1_1, const char *end,
                   struct error *err);
