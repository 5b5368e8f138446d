/* GET /v1/history: the changes of a configuration on a type of machine, and their causes. Tested
 * by tests/api/test_history.py. */
#include "answers/compare/unmatched_lists.h"
#include "common/cleanup.h"
#include "db/contenders/contenders.h"
#include "server/http/api/runs.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/present_history.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/response_cache.h"
#include "server/http/server.h"

static bool history_compute(struct exchange *exchange, struct db *db, struct error *err)
{
    const struct run_conditions *asked = exchange->request.parameters;
    const struct run_filter *filter = &asked->filter;
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(histories_clear) struct histories histories = {0};
    struct page page = {.limit = 0};

    if (!histories_load(db, filter, &histories, err) ||
        (histories.count == 0 && !unmatched_runs(db, filter, &page.unmatched, err)))
        return false;
    members_write(&out, NULL, &history_members,
                  &(struct history_answer){&page, filter->workload, &histories});
    return !out.failed || bytes_too_long(out.bytes, "the answer", err);
}

static void send_body(struct exchange *exchange, const char *etag)
{
    bool known = etag_is_known(exchange->request.headers.if_none_match, etag);

    reply_field(exchange, "ETag", "%s", etag);
    reply_field(exchange, "Cache-Control", "no-cache");
    exchange->reply.status = known ? 304 : 200;
    exchange->reply.content_type = known ? NULL : "application/json";
    if (known)
        bytes_free(&exchange->reply.body);
}

void history_handler(struct exchange *exchange)
{
    const struct server *server = exchange->server;
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct answer_key key = {.text = exchange->request.target};
    char etag[ETAG_SIZE];
    struct error err = {0};

    loan = db_borrow(server->pool);
    if (!revision_read(loan.db, &key.revision, &err)) {
        reply_error(exchange, &err);
        return;
    }
    /* A target begins with "/", so no other answer has this key. */
    if (!response_cache_find(server->response_cache, &key, &exchange->reply.body, etag)) {
        if (!history_compute(exchange, loan.db, &err)) {
            reply_error(exchange, &err);
            return;
        }
        response_cache_keep(server->response_cache, &key, &exchange->reply.body, etag);
    }
    send_body(exchange, etag);
}
