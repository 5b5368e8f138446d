/* Statistics of a series over windows that end at one moment, weighted by time. Prices withdrawn
 * before that moment are left out; later changes are ignored. */
#pragma once

#include "db/db.h"

#include <stddef.h>

struct price_window {
    long long length_us;    /* before the moment */
    bool known;             /* false: no price in the window */
    double low, high, mean; /* dollars an hour */
    double known_us;        /* of its length: how long a price was known */
    double above;           /* share of that time above the limit; 0 without one */
};

struct price_course_question {
    long long series, at_us;
    long long limit_nanos; /* 0: none */
};

/* Fills in the windows; the caller sets their lengths. */
MUST_USE bool price_course(struct db *db, const struct price_course_question *question,
                           size_t count, struct price_window windows[], struct error *err);
