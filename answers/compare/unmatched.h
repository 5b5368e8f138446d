/* Parameters that match nothing stored, so that a typo gets a list of known values and not an
 * empty table. */
#pragma once

#define UNMATCHED_MAX 32

struct unmatched {
    const char *parameter; /* its name */
    char value[72];
    char words[320]; /* what was searched, and up to six known values */
};
