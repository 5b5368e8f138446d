/* Decides whether a new reading of a feed may replace the accepted one. An implausible reading is
 * held back; a similar one, an hour later or more, confirms it and is accepted. A reading that
 * looks like the wrong page is not confirmed by reading that page again: a person accepts it. The
 * limits depend on the kind of price: on demand hardly moves, spot does. */
#pragma once

#include "pricing/feeds/source.h"

#include <limits.h>

#define DOUBT_SECONDS 3600 /* least time from a held reading to its confirmation */

#define DOUBT_ENDLESS LLONG_MAX

/* A reading held back as a whole. */
struct doubt {
    long long until_us; /* a similar reading from then on is accepted; DOUBT_ENDLESS: only by a
                         * person; 0: none is held back */
    long long prices;   /* in that reading */
};

enum plausibility {
    IS_PLAUSIBLE,
    WANTS_ANOTHER, /* until a later reading confirms it */
    WANTS_PERSON,  /* until a person accepts it */
};

/* Groups judged separately, since the many prices of commitments would hide moves of the hourly
 * ones. */
enum move_group { MOVES_ON_DEMAND, MOVES_SPOT, MOVES_COMMITTED, MOVE_GROUPS };
enum move_group move_group_of(enum price_kind kind); /* typed and own prices count as on demand */

/* How far the known prices of a group moved in the new reading. */
struct moves {
    size_t before;  /* known prices compared */
    size_t common;  /* of before: also in the new reading */
    size_t leapt;   /* is_leap() */
    size_t fell;    /* of leapt: to less; on demand, never more than half of a list */
    size_t drifted; /* is_drift(): never more than half of a list */
};

/* A new reading compared with known prices of other kinds, and with other feeds' prices. */
struct cross_check {
    size_t spots;     /* spot prices of types that have a known price on demand */
    size_t expensive; /* of spots: far above it; if few, the reading goes on without them */
    size_t level;     /* of spots: equal to that price, and were not before */
    size_t lists;     /* on-demand prices of types whose spot price another feed knows */
    size_t swapped;   /* of lists: equal to that price, and were not before */
    size_t firsts;    /* prices without a known price that another feed has */
    size_t strange;   /* of firsts: leaps from the other feed's price */
};

/* A new reading compared with the accepted one. A known price that has expired, or whose type was
 * not requested, is not compared. */
struct change {
    size_t before; /* known prices compared */
    size_t after;  /* prices of the new reading */
    size_t common; /* of before: also in the new reading */
    struct moves moves[MOVE_GROUPS];
    struct cross_check cross;
    size_t contested; /* known prices that this reading, or the held one, contradicts */
    size_t agreed;    /* of contested: both readings nearly agree */
    size_t gone, added, moved;
    size_t held;        /* leaps and removals, held back for confirmation */
    struct doubt doubt; /* of a held reading: what the next one has to confirm */
};

/* True for a leap: a placeholder, another unit, a missing zero. On spot more than twice or less
 * than half, else more than a quarter. A single leap is held back until another reading confirms
 * it; many at once hold back the reading. */
bool is_leap(enum price_kind kind, long long before_nanos, long long after_nanos);

/* True if a price moved by more than half (spot) or a twentieth (others). */
bool is_drift(enum price_kind kind, long long before_nanos, long long after_nanos);

/* True if two readings of a price nearly agree: within a quarter (spot) or a fiftieth (others). 0
 * or less: the first has none. */
bool is_confirmed(enum price_kind kind, long long held_nanos, long long after_nanos);

/* True if a spot price is far above the price on demand: no customer pays that. */
bool spot_is_expensive(long long spot_nanos, long long on_demand_nanos);

/* True if two prices are equal, apart from the time of reading; 0 is no price. */
bool is_level(long long left_nanos, long long right_nanos);

/* True if `odd` of `count` prices are too many to leave out one by one. */
bool are_many(size_t odd, size_t count);

/* Whether a source is the operator's file: only its form is checked, unless it is suddenly
 * empty. */
bool source_is_trusted(const struct source *source);

/* Whether a reading of these types (with commas; "" for all) should have this one. */
bool type_is_asked_for(const struct source *source, const char *types, const char *name);

/* Unless IS_PLAUSIBLE, ERROR_UPSTREAM says why. A person must accept on-demand prices that
 * equal another feed's spot prices, that mostly fell far at once, or that are, in a first
 * reading, far from the published list prices; and spot prices far above on demand. */
enum plausibility change_plausibility(const struct source *source,
                                      const struct price_batch *batch,
                                      const struct change *change, struct error *err);

/* Whether a reading nearly agrees with the held one. An empty reading confirms nothing. */
bool change_is_like(const struct change *change, const struct doubt *doubt);

/* The doubt of a reading that is not plausible; `before` is the doubt of the last reading. */
struct doubt change_doubt(const struct change *change, enum plausibility found,
                          const struct doubt *before, long long now_us);

/* Whether a reading so found confirms the held one, late enough. */
bool change_is_confirmed(const struct change *change, enum plausibility found,
                         const struct doubt *doubt, long long now_us);
