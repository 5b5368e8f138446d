/* A summary as it is stored and sent: one line of JSON, written in one way only, so that two
 * summaries are the same when their texts are. */
#pragma once

#include "engine/stats/summary.h"

/* Raised when the same steps would give another summary than before. */
#define SUMMARY_METHOD 3

/* The caller frees it; NULL when memory ends. */
char *summary_to_text(const struct summary *summary);
