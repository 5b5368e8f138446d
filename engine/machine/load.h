/* Who uses the processors: what other processes took of them between two readings. Pure but for
 * memory. Our own process does not count, nor does what it started: its workers. */
#pragma once

#include "engine/machine/load_reading.h"

#include <stdbool.h>

#define LOAD_USERS_MAX 5
#define LOAD_USER_MIN 1.0 /* percent, below which no process is named */

/* All processes of one name. */
struct load_user {
    char name[LOAD_NAME_SIZE]; /* by strangers: one line of UTF-8, "" too */
    double percent;
};

/* Percents are of all processors of our affinity, rounded to tenths. */
struct load {
    int processors;        /* so many there are */
    double busy_percent;   /* what others took */
    double hidden_percent; /* of it, by processes that are not visible here: of other users where
                              /proc hides them, or outside this container */
    int count;
    struct load_user users[LOAD_USERS_MAX]; /* the largest first */
};

/* What processes that ended in between took counts for the one that waited for them: compilers
 * for make. A process counts where it ran last, so one on processors that are not ours does not.
 * `own` is our pid. `after` must be the later one. */
void load_between(const struct load_reading *before, const struct load_reading *after,
                  const struct topology *topology, long long own, struct load *ret_load);

/* One line of JSON: {"busy_percent":1.5,"hidden_percent":0,"processes":[{"name":"cc",
 * "percent":1.5}],"processors":8}. The caller frees it. */
char *load_to_text(const struct load *load);

/* Reads it again. False for NULL and for any other text. */
bool load_from_text(const char *text, struct load *ret_load);
