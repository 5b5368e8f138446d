/* The member `ranks` of a spec for pennyworth-worker-mpi. No other program reads it: the server
 * does not start ranks yet, so a run's spec has no such field. */
#pragma once

#include "common/error.h"

#include <stddef.h>

#define SPEC_RANKS_MAX 65536

/* The spec without its member `ranks`, as new text that the caller frees. The default is 1. NULL
 * with ERROR_INVALID if it is no valid number, or differs from `started`, the number of started
 * processes, or if the text is no JSON object. */
MUST_USE char *spec_without_ranks(const char *text, size_t length, int started,
                                  struct error *err);
