/* The answer of the CI gate. */
#pragma once

#include "common/rows/members.h"

extern const struct members check_members; /* of struct gate_check */
