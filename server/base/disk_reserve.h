/* Reserves space on the database's disk, so that current runs can end and stored runs can be
 * read. */
#pragma once

#include "server/base/config.h"

/* The free bytes on the database's disk; -1 if the system does not say. */
long long disk_space_left(const struct config *config);

/* Call this before writing anything new. ERROR_STORAGE if the free space is within the reserve.
 * Succeeds if the free space is unknown: the write itself will then fail. */
MUST_USE bool disk_reserve_check(const struct config *config, struct error *err);

/* The same, before copying the whole database to its own disk. */
MUST_USE bool disk_reserve_check_copy(const struct config *config, struct error *err);
