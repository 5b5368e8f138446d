/* Processor time that other processes used between two readings. Pure except for memory. Our own
 * process and its workers are excluded. */
#pragma once

#include "engine/machine/load_reading.h"

#include <stdbool.h>

#define LOAD_USERS_MAX 5
#define LOAD_USER_MIN 1.0 /* percent; processes below are not named */

/* All processes of one name. */
struct load_user {
    char name[LOAD_NAME_SIZE]; /* by other programs: one line of UTF-8, may be "" */
    double percent;
};

/* Percents of all processors of our affinity, rounded to tenths. */
struct load {
    int processors;        /* so many there are */
    double busy_percent;   /* used by others */
    double hidden_percent; /* of it, by invisible processes: of other users if /proc hides them,
                            * or outside this container */
    int count;
    struct load_user users[LOAD_USERS_MAX]; /* the largest first */
};

/* The time of a process that ended in between counts for its parent: a compiler's for make. A
 * process counts where it ran last, so one on other processors does not. `own` is our pid.
 * `after` must be the later one. */
void load_between(const struct load_reading *before, const struct load_reading *after,
                  const struct topology *topology, long long own, struct load *ret_load);

/* One line of JSON: {"busy_percent":1.5,"hidden_percent":0,"processes":[{"name":"cc",
 * "percent":1.5}],"processors":8}. The caller frees it. */
char *load_to_text(const struct load *load);

/* Reads it again. False for NULL and for any other text. */
bool load_from_text(const char *text, struct load *ret_load);
