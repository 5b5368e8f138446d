/* Where the newest run of each contender of a provider was measured. */
#pragma once

#include "db/db.h"

/* Calls tell() for each region, once. */
MUST_USE bool measured_regions_each(struct db *db, const char *provider,
                                    void (*tell)(void *user, const char *region), void *user,
                                    struct error *err);
