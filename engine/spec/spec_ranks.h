/* The member `ranks` of a spec for pennyworth-worker-mpi. No other program reads it: the server
 * does not start ranks yet, so a run's spec has no such field. */
#pragma once

#include "common/error.h"

#include <stddef.h>

#define SPEC_RANKS_MAX 65536

/* The spec without its member `ranks`, as new text that the caller frees. A spec that does not
 * say it has 1. NULL with ERROR_INVALID where it is not a number of ranks, or not `started`, the
 * number of processes that were started, and where the text is no JSON object. */
MUST_USE char *spec_without_ranks(const char *text, size_t length, int started,
                                  struct error *err);
