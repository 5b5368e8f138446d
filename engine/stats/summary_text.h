/* A summary as stored and sent: one line of JSON in a canonical form, so that equal summaries
 * have equal texts. */
#pragma once

#include "engine/stats/summary.h"

/* Raised when the same steps give another summary than before. */
#define SUMMARY_METHOD 1

/* Its members. */
extern const struct members summary_members;

/* The caller frees it; NULL if a loss is not finite: losses may overflow their mean. */
char *summary_to_text(const struct summary *summary);

/* The split in such a text; *ret_known is false if it has none. */
MUST_USE bool summary_split_from_text(const char *text, bool *ret_known,
                                      struct split_seconds *ret_split, struct error *err);
