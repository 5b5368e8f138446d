/* Room on the disk that holds the database: some is kept in reserve, so that what was begun can
 * be ended and what is stored can be read. */
#pragma once

#include "server/base/config.h"

/* What is left beside the database; -1 where that cannot be told. */
long long disk_space_left(const struct config *config);

/* Before anything new is written: ERROR_STORAGE once the reserve is touched. Where nobody can
 * tell how much is left, what is written will show. */
bool disk_reserve_check(const struct config *config, struct error *err)
    __attribute__((warn_unused_result));

/* The same before the whole database is copied beside itself. */
bool disk_reserve_check_copy(const struct config *config, struct error *err)
    __attribute__((warn_unused_result));
