#include "db/prices/withdrawal_row.h"

#include <limits.h>
#include <stdio.h>

_Static_assert(LLONG_MAX == 9223372036854775807, "the largest number of SQLite");

void withdrawal_read(struct stmt *row, int column, struct taken_back *ret_withdrawn)
{
    long long at_us = stmt_column_integer(row, column);

    *ret_withdrawn = (struct taken_back){.at_us = at_us == LLONG_MAX ? 0 : at_us};
    snprintf(ret_withdrawn->by, sizeof ret_withdrawn->by, "%s",
             stmt_column_text(row, column + 1));
    snprintf(ret_withdrawn->reason, sizeof ret_withdrawn->reason, "%s",
             stmt_column_text(row, column + 2));
}
