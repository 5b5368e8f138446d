/* Whether what a feed says now may take the place of what it said before. A reading that is odd
 * is held back; one like it, an hour later or more, confirms it, and is accepted. What is odd
 * depends on the kind of price: on demand hardly moves, spot does. */
#pragma once

#include "pricing/feeds/source.h"

#define DOUBT_SECONDS 3600 /* between a reading that is held back and one that confirms it */

/* A reading that was held back as a whole, and waits for another one like it. */
struct doubt {
    long long since_us; /* when the first such reading was fetched; 0 for none */
    long long prices;   /* that it had */
};

/* What is weighed together: so many prices of commitments would hide what those by the hour do.
 */
enum move_group { MOVES_ON_DEMAND, MOVES_SPOT, MOVES_COMMITTED, MOVE_GROUPS };
enum move_group move_group_of(enum price_kind kind); /* what is typed or owned: as on demand */

/* How far the known prices of a group moved that the new reading has. */
struct moves {
    size_t before;  /* known prices that judge */
    size_t common;  /* of before: also in the new reading */
    size_t leapt;   /* is_leap() */
    size_t drifted; /* is_drift(): more than half of a list never do */
};

/* A new reading compared with the known prices of the other kind, and with what other feeds say
 * of its own. */
struct cross_check {
    size_t spots;     /* spot prices of types that have a known price on demand */
    size_t expensive; /* of spots: far above it; where they are few, the reading goes on without
                         them */
    size_t level;     /* of spots: they are that price, and were not before */
    size_t lists;     /* on-demand prices of types whose spot price another feed knows */
    size_t swapped;   /* of lists: they are that price, and were not before */
    size_t firsts;    /* prices that another feed knows too, where no known price judges */
    size_t strange;   /* of firsts: leaps from there */
};

/* A new reading compared with the one that it would replace. A known price that has expired, or
 * whose type was not asked for, judges nothing. */
struct change {
    size_t before; /* known prices that judge */
    size_t after;  /* prices of the new reading */
    size_t common; /* of before: also in the new reading */
    struct moves moves[MOVE_GROUPS];
    struct cross_check cross;
    size_t
        contested; /* known prices of which this reading, or the one held back, says otherwise */
    size_t agreed; /* of contested: both say nearly the same */
    size_t gone, added, moved;
    size_t held;        /* leaps, and prices that are gone, that wait for another reading */
    struct doubt doubt; /* what the next reading has to confirm; of a reading held back */
};

/* True for a leap: a placeholder, another unit, a zero too few. On spot more than twice or
 * less than half, else more than a quarter. One that comes alone is held back until another
 * reading says the same; many at once hold back the reading. */
bool is_leap(enum price_kind kind, long long before_nanos, long long after_nanos);

/* True for a move that single prices make: on spot by more than half, else by a twentieth. */
bool is_drift(enum price_kind kind, long long before_nanos, long long after_nanos);

/* Whether two readings say nearly the same of a price: on spot within a quarter, else within a
 * fiftieth. 0 or less: the first says nothing. */
bool is_confirmed(enum price_kind kind, long long held_nanos, long long after_nanos);

/* Whether a spot price is far above the one on demand, which no one pays. */
bool spot_is_expensive(long long spot_nanos, long long on_demand_nanos);

/* Whether two prices are the same but for the hour at which they were read; 0 is no price. */
bool is_level(long long left_nanos, long long right_nanos);

/* Whether so many of so many are too many to be left out one by one. */
bool are_many(size_t odd, size_t count);

/* Whether a source is a file of the operator's: it is checked for form, and not
 * doubted, unless it is empty all at once. */
bool source_is_trusted(const struct source *source);

/* Whether a reading of these types (with commas; "" for all there are) was to have this one. */
bool type_is_asked_for(const struct source *source, const char *types, const char *name);

/* ERROR_UPSTREAM says what is odd. */
MUST_USE bool change_is_plausible(const struct source *source, const struct price_batch *batch,
                                  const struct change *change, struct error *err);

/* Whether a reading says nearly the same as the one that was held back. One without a single
 * price confirms nothing. */
bool change_is_like(const struct change *change, const struct doubt *doubt);

/* The same, and whether enough time has gone by for it to be accepted. What contradicts what is
 * known of the other kind of price is never accepted for saying so again: on-demand prices that
 * are another feed's spot prices, and spot prices far above on demand. */
bool change_is_confirmed(const struct change *change, const struct doubt *doubt,
                         long long now_us);
