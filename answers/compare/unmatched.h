/* Parameters of a question that match nothing known here, so that a typo is answered with what
 * there is and not with an empty table. */
#pragma once

#define UNMATCHED_MAX 32

struct unmatched {
    const char *parameter; /* its name */
    char value[72];
    char words[320]; /* what it matches nothing of, and up to six values that are known */
};
