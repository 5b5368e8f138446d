/* JSON of the rank interval of a row or a cell. */
#pragma once

#include "common/rows/members.h"

extern const struct members rank_interval_members; /* null of one that is not ranked */
