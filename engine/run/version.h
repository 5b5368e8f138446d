/* The version of a run: "pennyworth-worker 0.1.0, oneDNN 3.7.2, plan measured". Runs of different
 * versions are never pooled. */
#pragma once

#include "engine/run/run.h"

#define RUN_VERSION_SIZE 272

/* The name for a run: its software without the number of threads, the library unless the software
 * names it, and the kind of plan. A plan from the cache was measured. ERROR_INVALID if its engine
 * details cannot be read. */
MUST_USE bool run_version_name(const struct run *run, char ret_name[RUN_VERSION_SIZE],
                               struct error *err);

/* Below, equal to or above 0: the left version is older than, as old as or newer than the right
 * one. Numbers in the names compare as numbers. The kind of plan does not count. */
int run_version_order(const char *left, const char *right);

/* Number of characters of the name that count for the order: all but the kind of plan. */
int run_version_length(const char *version);
