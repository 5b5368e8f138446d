/* The versions of a contender, and the choice of its standing. */
#pragma once

#include "db/standings/contender.h"
#include "db/standings/standing_history.h"

struct version_list {
    struct version_runs *versions; /* owned */
    size_t count, room;
};

void version_list_free(struct version_list *list); /* a zeroed one is fine */
void version_list_add(struct version_list *list, long long number, const char *name);

/* Sorts the versions, chooses the standing, and replaces version, standing, older versions and
 * newest run of the contender. The list is not empty. */
MUST_USE bool version_list_take(struct db *db, struct version_list *list,
                                struct contender *contender, struct error *err);
