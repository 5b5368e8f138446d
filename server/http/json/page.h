/* What a page of a list ends with: the cursor of the next page, and filters that nothing stored
 * matches. The rows before it are written while they are read. */
#pragma once

#include "answers/compare/unmatched_lists.h"
#include "common/limits.h"
#include "server/base/members.h"

/* A page under way. */
struct page {
    long long limit, count; /* rows wanted, rows seen: one more means that there are more */
    char last[INSTANCE_SIZE + PROVIDER_SIZE + REGION_SIZE + 16]; /* what the last row is called */
    struct unmatched_list unmatched;
    bool failed;
    struct error err;
};

/* True for a row that belongs to the page. */
static inline bool page_takes(struct page *page)
{
    return page->count++ < page->limit;
}

/* Of an object that begins with a `struct page *`: the members next_cursor and unmatched. */
extern const struct members page_end_members;
extern const struct members page_cursor_members, page_unmatched_members; /* each alone */
extern const struct members unmatched_members;
