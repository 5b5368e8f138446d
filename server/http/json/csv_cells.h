/* Tables as CSV (RFC 4180), from the members of a JSON object. The columns are words, which say
 * where their values stand: "name rank.low price.feed=feed speed*=samples_per_second
 * history.7.low" A column has the name after the equals sign, or of its path, with _ for each
 * dot. With a star it is an object that has an interval, and three columns: its value, low and
 * high. In an array, a number is the first member of the element. Each function returns false at
 * the limit of the text.
 */
#pragma once

#include "common/bytes.h"
#include "common/rows/members.h"

MUST_USE bool csv_add_head(struct bytes *text, const char *columns);

/* A line; the cell of what is null is empty, and a number that is not whole has ten digits. Texts
 * are quoted, and no spreadsheet takes one for a formula; a list of texts is one cell, and so is
 * the JSON of another object. */
MUST_USE bool csv_add_line(struct bytes *text, const char *columns, const struct members *members,
                           const void *object);
