/* The known facts of an instance type, as JSON and as a line of CSV. */
#pragma once

#include "answers/types/support.h"
#include "common/bytes.h"
#include "common/rows/members.h"

struct support_view {
    const struct known_type *type;
    const struct support *support;
};
extern const struct members support_members;     /* of struct support_view */
extern const struct members number_fact_members; /* of struct number_fact */

/* The names of the columns, and one line. False at the limit of the text. */
extern const char present_support_columns[];
MUST_USE bool present_support_line(struct bytes *text, const struct known_type *type,
                                   const struct support *support);
