/* Whether what a feed says now may take the place of what it said before. */
#pragma once

#include "pricing/feeds/source.h"

/* A new reading beside the one that it would replace. */
struct change {
    size_t before, after; /* prices */
    size_t common;        /* in both */
    size_t leapt;         /* of those, more than five times or less than a fifth of before */
    size_t gone, added, moved;
    size_t held; /* leaps that wait for another reading to confirm them */
};

/* True for a leap: a placeholder, another unit, a zero too few. One that comes alone is held back
 * until the next reading says the same; many at once condemn the reading. */
bool is_leap(long long before_nanos, long long after_nanos);

/* Whether a later reading confirms the leap that an earlier one was held back for. */
bool is_confirmed(long long held_nanos, long long after_nanos);

/* ERROR_UPSTREAM says what is odd. */
bool change_is_plausible(const struct source *source, const struct price_batch *batch,
                         const struct change *change, struct error *err)
    __attribute__((warn_unused_result));
