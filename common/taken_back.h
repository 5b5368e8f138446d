/* Who voided a run, or withdrew a price or a discount, when and why. The row itself is kept. */
#pragma once

#include "common/limits.h"

/* `at_us` is 0 while the row still counts. */
struct taken_back {
    long long at_us;             /* calendar */
    char by[TOKEN_NAME_SIZE];    /* name of the token; "" where the server has none */
    char reason[REASON_MAX + 1]; /* in the words of that person */
};
