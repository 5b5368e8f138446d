/* GET /v1/support: what is known of each instance type, and whether the engine runs there.
 * Tested by tests/api/test_support.py. */
#include "answers/compare/unmatched_lists.h"
#include "common/cleanup.h"
#include "common/limits.h"
#include "db/prices/known_types.h"
#include "server/http/api/types.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/page.h"
#include "server/http/json/present_support.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

/* What is answered. */
struct support_list {
    struct page *page; /* first: page_end_members */
    struct db *db;
    const struct support_question *asked;
    struct run_spec spec;
};

struct type_writer {
    const struct support_list *list;
    struct json_writer *out;
    bool csv;
};

static bool write_supported_type(void *user, const struct known_type *type)
{
    const struct type_writer *writer = user;
    struct page *page = writer->list->page;
    const char *family = writer->list->asked->family;
    struct support support;
    const struct support_view view = {type, &support};

    support_of(type, &writer->list->spec, &support);
    if (family && strcmp(family, support.family) != 0)
        return true;
    if (!page_takes(page))
        return false;
    snprintf(page->last, sizeof page->last, "%s %s", type->listed.name, type->listed.provider);
    if (writer->csv)
        return csv_add_line(writer->out->bytes, support_columns, &support_members, &view) ||
               bytes_too_long(writer->out->bytes, "the answer", &page->err);
    members_write(writer->out, NULL, &support_members, &view);
    return true;
}

static void find_unmatched_support(const struct support_list *list)
{
    struct page *page = list->page;
    const char *family = list->asked->family;

    if (page->count > 0 || list->asked->filter.after)
        return;
    if (unmatched_known_types(list->db, &list->asked->filter, &page->unmatched, &page->err) &&
        family && page->unmatched.count == 0)
        unmatched_add(&page->unmatched, "family", family,
                      "no type of this name and provider is of it");
}

static void write_supported_types(struct json_writer *out, const struct member *row,
                                  const void *object)
{
    const struct support_list *list = object;
    struct type_writer writer = {.list = list, .out = out};

    jsonw_open(out, row->name, '[');
    if (known_types_each(list->db, &list->asked->filter, write_supported_type, &writer,
                         &list->page->err))
        find_unmatched_support(list);
    jsonw_close(out, ']');
}

static const struct member support_list_rows[] = {
    {MEMBER_LIST_OF("support", &support_members), .write = write_supported_types},
    {MEMBER_ROWS(&page_end_members)},
    {0},
};
const struct members support_list_members = {
    .name = "SupportList", .meaning = "A page of types.", .rows = support_list_rows};

static void reply_csv(struct exchange *exchange, const struct support_list *list)
{
    struct json_writer out = {.bytes = &exchange->reply.body};
    struct type_writer writer = {.list = list, .out = &out, .csv = true};
    struct error *err = &list->page->err;

    if ((!csv_add_head(out.bytes, support_columns) &&
         !bytes_too_long(out.bytes, "the answer", err)) ||
        !known_types_each(list->db, &list->asked->filter, write_supported_type, &writer, err) ||
        err->kind != ERROR_NONE) {
        reply_error(exchange, err);
        return;
    }
    exchange->reply.status = 200;
    exchange->reply.content_type = "text/csv; charset=utf-8";
}

void support_handler(struct exchange *exchange)
{
    const struct support_question *asked = exchange->request.parameters;
    struct page page = {.limit = asked->limit};
    struct support_list list = {.page = &page, .asked = asked, .spec = run_spec_default()};
    AUTO(db_loan_end) struct db_loan loan = {0};
    bool csv;

    if (!request_form(exchange, &csv))
        return;
    loan = db_borrow(exchange->server->pool);
    list.db = loan.db;
    if (csv)
        reply_csv(exchange, &list);
    else
        reply_list(exchange, &support_list_members, &list, &page.err);
}
