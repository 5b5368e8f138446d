/* What trained a run: "pennyworth-worker 0.1.0, oneDNN 3.7.2, plan measured". Runs of different
 * versions are never put together. */
#pragma once

#define RUN_VERSION_SIZE 272

/* Below 0, 0 or above 0: whether the left version is older than, as old as or newer than the
 * right one. Numbers in the names are compared as numbers. The kind of plan makes no version
 * newer. */
int run_version_order(const char *left, const char *right);

/* How many characters of the name count for the order: all but the kind of plan. */
int run_version_length(const char *version);
