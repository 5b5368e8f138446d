/* The shape in JSON of what a person took back. */
#pragma once

#include "common/taken_back.h"
#include "server/base/members.h"

extern const struct members taken_back_members; /* null where it was not taken back */
