/* Whether what a feed says now may take the place of what it said before. A reading that is odd
 * is held back; one like it, an hour later or more, confirms it, and is believed. */
#pragma once

#include "pricing/feeds/source.h"

#define DOUBT_SECONDS 3600 /* between a reading that is held back and one that confirms it */

/* A reading that was held back as a whole, and waits for another one like it. */
struct doubt {
    long long since_us; /* when the first such reading was fetched; 0 for none */
    long long prices;   /* that it had */
};

/* A new reading beside the one that it would replace. A known price that has expired, or whose
 * type was not asked for, judges nothing. */
struct change {
    size_t before; /* known prices that judge */
    size_t after;  /* prices of the new reading */
    size_t common; /* of before: also in the new reading */
    size_t leapt;  /* of common, more than five times or less than a fifth of before */
    size_t
        contested; /* known prices of which this reading, or the one held back, says otherwise */
    size_t agreed; /* of contested: both say nearly the same */
    size_t gone, added, moved;
    size_t held;        /* leaps, and prices that are gone, that wait for another reading */
    struct doubt doubt; /* what the next reading has to confirm; of a reading held back */
};

/* True for a leap: a placeholder, another unit, a zero too few. One that comes alone is held back
 * until the next reading says the same; many at once hold back the reading. */
bool is_leap(long long before_nanos, long long after_nanos);

/* Whether two readings say nearly the same of a price; 0 or less: the first says nothing. */
bool is_confirmed(long long held_nanos, long long after_nanos);

/* Whether a source is a file of the operator's: it is checked for form, and not
 * doubted, unless it is empty all at once. */
bool source_is_trusted(const struct source *source);

/* Whether a reading of these types (with commas; "" for all there are) was to have this one. */
bool type_is_asked_for(const struct source *source, const char *types, const char *name);

/* ERROR_UPSTREAM says what is odd. */
bool change_is_plausible(const struct source *source, const struct price_batch *batch,
                         const struct change *change, struct error *err)
    __attribute__((warn_unused_result));

/* Whether a reading says nearly the same as the one that was held back. One without a single
 * price confirms nothing. */
bool change_is_like(const struct change *change, const struct doubt *doubt);

/* The same, and whether enough time has gone by for it to be believed. */
bool change_is_confirmed(const struct change *change, const struct doubt *doubt,
                         long long now_us);
