/* A summary as it is stored and sent: one line of JSON, written in one way only, so that two
 * summaries are the same when their texts are. */
#pragma once

#include "engine/stats/summary.h"

/* Raised when the same steps would give another summary than before. */
#define SUMMARY_METHOD 1

/* The caller frees it; NULL where a number is not finite: an engine's losses may be too large for
 * their mean. */
char *summary_to_text(const struct summary *summary);

/* The split in such a text; *ret_known is false where it has none. */
MUST_USE bool summary_split_from_text(const char *text, bool *ret_known,
                                      struct split_seconds *ret_split, struct error *err);
