/* Tested by tests/api/test_capacity.py. */
#include "server/http/json/page.h"

static const struct member unmatched_rows[] = {
    {MEMBER(struct unmatched, parameter), .filled = true},
    {MEMBER(struct unmatched, value), .meaning = "As it was given, cut to 71 bytes."},
    {MEMBER(struct unmatched, words), .filled = true,
     .meaning = "What was searched, and the nearest known values."},
    {0},
};
const struct members unmatched_members = {.name = "Unmatched",
                                          .meaning = "A parameter that nothing stored matches.",
                                          .rows = unmatched_rows};

static const struct page *page_of(const void *object)
{
    return *(struct page *const *)object;
}

static void write_cursor(struct json_writer *out, const struct member *row, const void *object)
{
    const struct page *page = page_of(object);

    jsonw_text(out, row->name, page->count > page->limit ? page->last : NULL);
}

static void write_unmatched(struct json_writer *out, const struct member *row, const void *object)
{
    const struct unmatched_list *unmatched = &page_of(object)->unmatched;

    members_write_list(out, row->name, &unmatched_members, unmatched->list, unmatched->count,
                       sizeof *unmatched->list);
}

static const struct member page_cursor_rows[] = {
    {MEMBER_WRITTEN("next_cursor", MEMBER_TEXT, write_cursor), .nullable = true,
     .meaning = "Cursor of the next page; null on the last page."},
    {0},
};
const struct members page_cursor_members = {.rows = page_cursor_rows};

static const struct member page_unmatched_rows[] = {
    {.name = "unmatched",
     .type = MEMBER_LIST,
     .members = &unmatched_members,
     .write = write_unmatched,
     .schema = "{\"maxItems\": " LIMIT_TEXT(UNMATCHED_MAX) "}",
     .meaning = "Filters that match nothing stored, with the nearest values that are known; "
                "empty where the list is not."},
    {0},
};
const struct members page_unmatched_members = {.rows = page_unmatched_rows};

static const struct member page_end_rows[] = {
    {MEMBER_ROWS(&page_cursor_members)},
    {MEMBER_ROWS(&page_unmatched_members)},
    {0},
};
const struct members page_end_members = {.rows = page_end_rows};
