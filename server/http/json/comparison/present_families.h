/* The sizes of families, as JSON. */
#pragma once

#include "answers/types/families.h"
#include "common/rows/members.h"

struct page;

struct families_view {
    struct page *page; /* first: page_end_members; with the question's limit */
    const struct comparison_question *question;
    const struct families *families;
    const char *after; /* last entry of the previous page; NULL for the first page */
};
extern const struct members family_list_members; /* of struct families_view */
