/* JSON of the specs wanted for a type. */
#pragma once

#include "answers/compare/unmatched_lists.h"
#include "answers/types/wanted.h"
#include "common/rows/members.h"

struct wanted_view {
    const struct instance_type *type;
    const struct wanted_list *list;
    size_t limit; /* maximum number written */
    const struct unmatched_list *unmatched;
};
extern const struct members wanted_list_members; /* of struct wanted_view */
