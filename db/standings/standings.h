/* All contenders with what their runs come to, kept in memory and brought up to date from what
 * has changed since: a million runs are not looked at again for one that ends. */
#pragma once

#include "db/contenders/contenders.h"
#include "db/standings/contender.h"

#include <stddef.h>

struct standings {
    long long revision; /* up to which it is up to date; 0 at first */
    struct contender *list;
    size_t count, room;
};

/* Brings *standings up to date. When it fails they are as good as they were. */
MUST_USE bool standings_update(struct db *db, struct standings *standings, struct error *err);

/* A zeroed one is fine. */
void standings_free(struct standings *standings);

/* Appends a contender, whose number is the largest so far, and leaves a zeroed one behind. */
void standings_add(struct standings *standings, struct contender *contender);
