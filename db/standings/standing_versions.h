/* The versions of a contender, and which of them is its standing. */
#pragma once

#include "db/standings/contender.h"
#include "db/standings/standing_history.h"

struct version_list {
    struct version_runs *versions; /* owned */
    size_t count, room;
};

void version_list_free(struct version_list *list); /* a zeroed one is fine */
void version_list_add(struct version_list *list, long long number, const char *name);

/* Puts the versions in order, chooses the one that is the standing, and replaces version,
 * standing, older versions and newest run of the contender by what the list says. The list is not
 * empty. */
MUST_USE bool version_list_take(struct db *db, struct version_list *list,
                                struct contender *contender, struct error *err);
