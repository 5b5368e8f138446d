/* All contenders with their combined results, kept in memory and updated from changed contenders
 * only: a new run does not make a million others be read again. */
#pragma once

#include "db/contenders/contenders.h"
#include "db/standings/contender.h"

#include <stddef.h>

struct standings {
    long long revision; /* it includes all changes up to this; 0 at first */
    struct contender *list;
    size_t count, room;
};

/* Updates *standings; unchanged on failure. */
MUST_USE bool standings_update(struct db *db, struct standings *standings, struct error *err);

/* A zeroed one is fine. */
void standings_free(struct standings *standings);

/* Appends a contender with the largest number so far, and leaves a zeroed one behind. */
void standings_add(struct standings *standings, struct contender *contender);
