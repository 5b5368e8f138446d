/* Parameters that match nothing stored, so that a typo gets a list of known values and not an
 * empty table. */
#pragma once

#include "common/text.h"

#include <string.h>

#define UNMATCHED_MAX 32

struct unmatched {
    const char *parameter; /* its name */
    char value[72];
    char words[320]; /* what was searched, and up to six known values */
};

/* Call when both texts are filled: mends the characters that their sizes cut. */
static inline void unmatched_mend(struct unmatched *unmatched)
{
    text_drop_cut_end(unmatched->value);
    text_make_line(unmatched->words, strlen(unmatched->words));
}
