/* Cells of a line of CSV (RFC 4180) behind its first one: each begins with a comma. They return
 * false at the limit of the text. */
#pragma once

#include "common/bytes.h"

#include <stdbool.h>

/* In quotes, and never a formula: what begins like one would be computed by a spreadsheet. */
MUST_USE bool csv_add_text(struct bytes *line, const char *text);

/* An empty cell for what is not finite. */
MUST_USE bool csv_add_number(struct bytes *line, double number);
