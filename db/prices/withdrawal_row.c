#include "db/prices/withdrawal_row.h"

#include "common/text.h"

#include <limits.h>

_Static_assert(LLONG_MAX == 9223372036854775807, "the largest number of SQLite");

void withdrawal_read(struct stmt *row, int column, struct taken_back *ret_withdrawn)
{
    long long at_us = stmt_column_integer(row, column);

    *ret_withdrawn = (struct taken_back){.at_us = at_us == LLONG_MAX ? 0 : at_us};
    TEXT_COPY(ret_withdrawn->by, stmt_column_text(row, column + 1));
    TEXT_COPY(ret_withdrawn->reason, stmt_column_text(row, column + 2));
}
