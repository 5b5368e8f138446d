/* When the results of a configuration on a type of machine changed, by how much, and why: in
 * samples a second, and in samples per dollar at the price stored with each run. Pure: the same
 * history has the same answer. change_points.h defines a change; a history without one gets a
 * false one about once in a hundred times (history_test.c counts). */
#pragma once

#include "engine/stats/compare.h"

/* A run of a history. Texts are borrowed, NULL if unknown. */
struct history_run {
    long long at_us;
    double speed, low, high; /* samples a second; low and high 0 without an interval */
    double dollars;          /* an hour; 0 if unknown, or not in dollars */
    const char *version;     /* of the engine, its library and its plan */
    const char *kernel, *microcode;
};

enum history_measure { HISTORY_SPEED, HISTORY_PER_DOLLAR };
extern const char *const history_measure_names[]; /* "samples_per_second" ... */

/* Facts that changed at this point, or within its uncertainty. */
enum history_cause { CAUSE_VERSION, CAUSE_KERNEL, CAUSE_MICROCODE, CAUSE_PRICE, CAUSES };
extern const char *const history_cause_names[]; /* "version" ... */

struct history_change {
    enum history_measure measure;
    size_t first;       /* the first run of the new level */
    size_t before, end; /* the first run of the old level; one past the last of the new one */
    struct ratio ratio; /* new level / old level, with 95 % */
    unsigned causes;    /* a bit for each; without CAUSE_PRICE the price is not a cause */
    double dollars_before, dollars_after; /* means of both levels; 0 unknown */
};

struct history_changes {
    struct history_change *list; /* owned, in time order */
    size_t count;
};

/* `runs` in time order. A change of samples per dollar is listed only if it is more than the
 * change of samples a second at an unchanged price. It has CAUSE_PRICE if the price moved and the
 * speeds of both levels cannot be told apart; and next to a change of speed, if the price moved
 * too. */
void history_changes_find(const struct history_run *runs, size_t count,
                          struct history_changes *ret_changes);

/* The single cause of a change: "version"; "kernel", which includes microcode; "price"; "several"
 * if more than one changed at once; "unknown". */
const char *history_attribution(unsigned causes);

/* A zeroed one is fine. */
void history_changes_clear(struct history_changes *changes);
