/* The ranks that a row or a cell may have. */
#pragma once

#include "server/base/members.h"

extern const struct members rank_interval_members; /* null of one that is not ranked */
