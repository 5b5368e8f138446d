/* Pages of one walk, each of which names the next: the walk must get somewhere, and end. */
#pragma once

#include "pricing/feeds/source.h"

#include <stdint.h>

#define PAGES_MAX 200

/* Starts as {0}. */
struct pages {
    uint64_t seen[PAGES_MAX]; /* what named each page so far */
    size_t count;
};

/* A page named by `name` (a link, a token) is to be read next; the first may have any name that
 * is its own. Fails with ERROR_UPSTREAM for a name that was there before, for then the walk would
 * go in circles, and for more than PAGES_MAX: to call that the end would leave prices out. */
MUST_USE bool pages_go_on(struct pages *pages, const char *name, struct error *err);

/* Reads an element that is a short JSON string: a link, a token, a word; null is "". */
MUST_USE bool pages_text(const struct split_element *element, char *ret_text, size_t size,
                         struct error *err);
