/* The columns of prices and discounts that say whether a row was withdrawn. */
#pragma once

#include "common/taken_back.h"
#include "db/stmt.h"

/* withdrawn_us of a row that is not withdrawn: the largest number, as in db/schema_first.c. */
#define NEVER_WITHDRAWN "9223372036854775807"

/* Reads the columns withdrawn_us, withdrawn_by and withdrawn_reason, where the first is
 * `column`. */
void withdrawal_read(struct stmt *row, int column, struct taken_back *ret_withdrawn);
