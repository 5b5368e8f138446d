#pragma once

#include "server/router.h"

/* Every path we serve. */
extern const struct route routes[];
extern const size_t route_count;
