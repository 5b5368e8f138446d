/* Detects loops and endless walks over pages that name their next page. */
#pragma once

#include "pricing/feeds/source.h"

#include <stdint.h>

#define PAGES_MAX 200

/* Starts as {0}. */
struct pages {
    uint64_t seen[PAGES_MAX]; /* hashes of the names so far */
    size_t count;
};

/* Call before reading the page named `name` (a link, a token); the first page may have any unique
 * name. Fails with ERROR_UPSTREAM for a repeated name, since the walk would loop, and after
 * PAGES_MAX pages: stopping there would lose prices. */
MUST_USE bool pages_go_on(struct pages *pages, const char *name, struct error *err);

/* Reads a short JSON string: a link, a token, a word; null is "". */
MUST_USE bool pages_text(const struct split_element *element, char *ret_text, size_t size,
                         struct error *err);
