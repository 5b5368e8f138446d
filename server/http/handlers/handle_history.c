/* GET /v1/history: the changes of a configuration on a type of machine, and their causes. Tested
 * by tests/api/test_history.py. */
#include "answers/compare/unmatched_lists.h"
#include "common/cleanup.h"
#include "db/contenders/contenders.h"
#include "server/http/api/runs.h"
#include "server/http/cached_reply.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/present_history.h"
#include "server/http/reply.h"
#include "server/http/request.h"
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

/* Replies if the answer is cached, or the database fails. */
static bool history_find(struct exchange *exchange, struct db *db, struct answer_key *ret_key)
{
    struct error err = {0};

    /* A target begins with "/", so no other answer has this key. */
    *ret_key = (struct answer_key){.text = exchange->request.target};
    if (revision_read(db, &ret_key->revision, &err))
        return cached_reply_send(exchange, ret_key, "application/json");
    reply_error(exchange, &err);
    return true;
}

bool history_from_cache(struct exchange *exchange)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    struct answer_key key;

    return history_find(exchange, loan.db, &key);
}

void history_handler(struct exchange *exchange)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    struct answer_key key;
    struct error err = {0};

    if (history_find(exchange, loan.db, &key))
        return; /* computed by another request in the meantime */
    if (history_compute(exchange, loan.db, &err))
        cached_reply_keep(exchange, &key, "application/json");
    else
        reply_error(exchange, &err);
}
