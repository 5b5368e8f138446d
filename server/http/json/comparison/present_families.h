/* The sizes of families, as JSON. */
#pragma once

#include "answers/types/families.h"
#include "server/base/members.h"

struct page;

struct families_view {
    struct page *page; /* first: page_end_members; its limit is the question's */
    const struct comparison_question *question;
    const struct families *families;
    const char *after; /* the page before ended with this; NULL for the first */
};
extern const struct members family_list_members; /* of struct families_view */
