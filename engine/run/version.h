/* The version of a run: "pennyworth-worker 0.1.0, oneDNN 3.7.2, plan measured". Runs of different
 * versions are never pooled. */
#pragma once

#define RUN_VERSION_SIZE 272

/* Below, equal to or above 0: the left version is older than, as old as or newer than the right
 * one. Numbers in the names compare as numbers. The kind of plan does not count. */
int run_version_order(const char *left, const char *right);

/* Number of characters of the name that count for the order: all but the kind of plan. */
int run_version_length(const char *version);
