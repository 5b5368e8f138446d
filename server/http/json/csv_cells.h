/* Cells of a CSV line (RFC 4180) after the first: each begins with a comma. They return false at
 * the limit of the text. */
#pragma once

#include "common/bytes.h"

#include <stdbool.h>

/* Adds a quoted text, and prevents a spreadsheet from evaluating it as a formula. */
MUST_USE bool csv_add_text(struct bytes *line, const char *text);

/* The cell is empty if the number is not finite. */
MUST_USE bool csv_add_number(struct bytes *line, double number);
