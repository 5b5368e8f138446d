/* The end of a list's page: the cursor of the next page, and filters without a match. The rows
 * before it are written while they are read. */
#pragma once

#include "answers/compare/unmatched_lists.h"
#include "common/limits.h"
#include "common/rows/members.h"

/* A page under way. */
struct page {
    long long limit, count; /* rows wanted, rows seen; one more seen: there is a next page */
    char last[INSTANCE_SIZE + PROVIDER_SIZE + REGION_SIZE + 16]; /* key of the last row */
    struct unmatched_list unmatched;
    struct error err; /* set where reading the rows failed */
};

/* True for a row that belongs to the page. */
static inline bool page_takes(struct page *page)
{
    return page->count++ < page->limit;
}

/* Members next_cursor and unmatched, of an object that begins with a `struct page *`. */
extern const struct members page_end_members;
extern const struct members page_cursor_members, page_unmatched_members; /* each alone */
extern const struct members unmatched_members;
