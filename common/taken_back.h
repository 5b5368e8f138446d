/* What a person took back: a run that was voided, a price or a discount that was withdrawn. It is
 * kept, with this beside it. */
#pragma once

#include "common/limits.h"

/* `at_us` is 0 for what was not taken back. */
struct taken_back {
    long long at_us;             /* calendar */
    char by[TOKEN_NAME_SIZE];    /* name of the token; "" where the server has none */
    char reason[REASON_MAX + 1]; /* in the words of that person */
};
