/* Names of runs: ULIDs, 48 bits of milliseconds and 80 random bits in Crockford's base 32, so
 * that they sort by time, fit into a URL and cannot be guessed. */
#pragma once

#include "common/error.h"

#include <stdbool.h>

#define RUN_ID_LENGTH 26

struct run_id {
    char text[RUN_ID_LENGTH + 1];
};

/* A time outside the 48 bits is clamped. */
MUST_USE bool run_id_new(long long calendar_us, struct run_id *ret_id, struct error *err);

/* Upper case only, so that one run has one name. */
bool run_id_is_valid(const char *text);
