/* How a price moved: what a series was over stretches of time that end at one moment, weighted by
 * time. What was withdrawn before that moment never was; what came later is not looked at. */
#pragma once

#include "db/db.h"

#include <stddef.h>

struct price_window {
    long long length_us;    /* before the moment */
    bool known;             /* false: there was no price in it */
    double low, high, mean; /* dollars an hour */
    double known_us;        /* of its length: how long there was a price */
    double above;           /* of that time, the share above a limit; 0 without one */
};

struct price_course_question {
    long long series, at_us;
    long long limit_nanos; /* 0: none */
};

/* Fills in windows, whose lengths are given. */
MUST_USE bool price_course(struct db *db, const struct price_course_question *question,
                           size_t count, struct price_window windows[], struct error *err);
