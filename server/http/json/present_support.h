/* The known facts of an instance type, as JSON and as a line of CSV. */
#pragma once

#include "answers/types/support.h"
#include "server/http/json/csv_cells.h"

struct support_view {
    const struct known_type *type;
    const struct support *support;
};
extern const struct members support_members;     /* of struct support_view */
extern const struct members number_fact_members; /* of struct number_fact */

extern const char support_columns[]; /* of support_members, as in csv_cells.h */
