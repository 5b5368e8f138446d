/* When the history of a configuration on a type of machine changed, by how much, and through
 * what: in samples a second, and in samples per dollar at the price that each run stored. Pure:
 * the same history has the same answer. change_points.h says what a change is; a history without
 * one gets one about once in a hundred times (history_test.c counts). */
#pragma once

#include "engine/stats/compare.h"

/* A run of it. Texts are borrowed, NULL where they are not known. */
struct history_run {
    long long at_us;
    double speed, low, high; /* samples a second; low and high 0 without an interval */
    double dollars;          /* an hour; 0 where the price is not known in dollars */
    const char *version;     /* of the engine, its library and its plan */
    const char *kernel, *microcode;
};

enum history_measure { HISTORY_SPEED, HISTORY_PER_DOLLAR };
extern const char *const history_measure_names[]; /* "samples_per_second" ... */

/* What changed at a change, or so near that the noise does not tell them apart. */
enum history_cause { CAUSE_VERSION, CAUSE_KERNEL, CAUSE_MICROCODE, CAUSE_PRICE, CAUSES };
extern const char *const history_cause_names[]; /* "version" ... */

struct history_change {
    enum history_measure measure;
    size_t first;       /* the first run of the new level */
    size_t before, end; /* the first run of the old level; one behind the last of the new one */
    struct ratio ratio; /* of the new level to the old one, with 95 % */
    unsigned causes;    /* a bit for each; without CAUSE_PRICE the price did not change it */
    double dollars_before, dollars_after; /* means of both levels; 0 unknown */
};

struct history_changes {
    struct history_change *list; /* owned, in the order of time */
    size_t count;
};

/* `runs` in the order of time. A change of samples per dollar is listed only where it is not the
 * change of samples a second at an unchanged price. It has CAUSE_PRICE where the price moved and
 * the speed of both levels cannot be told apart; and beside a change of speed, where the price
 * moved too. */
void history_changes_find(const struct history_run *runs, size_t count,
                          struct history_changes *ret_changes);

/* To which one thing a change is attributed: "version"; "kernel", which microcode counts as;
 * "price"; "several" where more than one of them changed at once; "unknown". */
const char *history_attribution(unsigned causes);

/* A zeroed one is fine. */
void history_changes_clear(struct history_changes *changes);
