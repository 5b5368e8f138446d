/* JSON of a withdrawal: who, when and why. */
#pragma once

#include "common/rows/members.h"
#include "common/taken_back.h"

extern const struct members taken_back_members; /* null if not taken back */
