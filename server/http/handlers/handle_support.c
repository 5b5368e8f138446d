/* GET /v1/support: what is known of each instance type, and whether the engine runs there.
 * Tested by tests/api/test_support.py. */
#include "answers/compare/unmatched_lists.h"
#include "common/cleanup.h"
#include "common/limits.h"
#include "db/prices/known_types.h"
#include "server/api/types.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/present_support.h"
#include "server/http/json/present_unmatched.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

/* A page under way. */
struct support_page {
    struct json_writer *out;
    const char *family; /* NULL for any */
    struct run_spec spec;
    bool csv, failed, has_more;
    long long limit, count;
    char last[INSTANCE_SIZE + PROVIDER_SIZE];
};

static bool write_type(void *user, const struct known_type *type)
{
    struct support_page *page = user;
    struct support support;

    support_of(type, &page->spec, &support);
    if (page->family && strcmp(page->family, support.family) != 0)
        return true;
    if (page->count == page->limit) {
        page->has_more = true;
        return false;
    }
    page->count++;
    snprintf(page->last, sizeof page->last, "%s %s", type->listed.name, type->listed.provider);
    if (page->csv)
        page->failed = !present_support_line(page->out->bytes, type, &support);
    else
        present_support(page->out, type, &support);
    return !page->failed;
}

static bool find_unmatched(struct db *db, const struct known_type_filter *filter,
                           const struct support_page *page, struct unmatched_list *list,
                           struct error *err)
{
    if (!unmatched_known_types(db, filter, list, err))
        return false;
    if (page->family && list->count == 0)
        unmatched_add(list, "family", page->family, "no type of this name and provider is of it");
    return true;
}

static bool write_page(struct db *db, const struct known_type_filter *filter,
                       struct support_page *page, struct error *err)
{
    struct unmatched_list unmatched = {.count = 0};

    if (page->csv)
        return (bytes_printf(page->out->bytes, "%s", present_support_columns) ||
                bytes_too_long(page->out->bytes, "the answer", err)) &&
               known_types_each(db, filter, write_type, page, err) &&
               (!page->failed || bytes_too_long(page->out->bytes, "the answer", err));
    jsonw_open(page->out, NULL, '{');
    jsonw_open(page->out, "support", '[');
    if (!known_types_each(db, filter, write_type, page, err))
        return false;
    jsonw_close(page->out, ']');
    jsonw_text(page->out, "next_cursor", page->has_more ? page->last : NULL);
    if (page->count == 0 && !filter->after && !find_unmatched(db, filter, page, &unmatched, err))
        return false;
    present_unmatched(page->out, unmatched.list, unmatched.count);
    jsonw_close(page->out, '}');
    return true;
}

void support_handler(struct exchange *exchange)
{
    struct json_writer out = {.bytes = &exchange->reply.body};
    const struct support_question *asked = exchange->request.parameters;
    struct support_page page = {
        .out = &out, .family = asked->family, .limit = asked->limit, .spec = run_spec_default()};
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct error err = {0};

    if (!request_form(exchange, &page.csv))
        return;
    loan = db_borrow(exchange->server->pool);
    if (!write_page(loan.db, &asked->filter, &page, &err)) {
        reply_error(exchange, &err);
        return;
    }
    if (!page.csv) {
        reply_json(exchange, 200, &out);
        return;
    }
    exchange->reply.status = 200;
    exchange->reply.content_type = "text/csv; charset=utf-8";
}
