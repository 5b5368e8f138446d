/* /v1/runs/import: stores runs measured elsewhere: one document, or many with one per line.
 * Tested by tests/api/test_import.py. */
#include "db/runs/runs.h"
#include "server/http/access.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/present_run.h"
#include "server/http/negotiate.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"
#include "server/runs/import.h"

#include "common/cleanup.h"

static void present_report(struct json_writer *out, const struct import_report *report)
{
    jsonw_open(out, NULL, '{');
    jsonw_integer(out, "imported", report->imported);
    jsonw_integer(out, "known", report->known);
    jsonw_integer(out, "refused", report->refused);
    jsonw_open(out, "errors", '[');
    for (size_t i = 0; i < report->refusal_count; i++) {
        const struct import_refusal *refusal = &report->refusals[i];

        jsonw_open(out, NULL, '{');
        jsonw_integer(out, "line", refusal->line);
        jsonw_text(out, "id", refusal->id.text[0] ? refusal->id.text : NULL);
        jsonw_text(out, "field", refusal->error.field[0] ? refusal->error.field : NULL);
        jsonw_text(out, "reason", refusal->error.message);
        jsonw_close(out, '}');
    }
    jsonw_close(out, ']');
    jsonw_close(out, '}');
}

/* Counts for the audit, and for the metrics of the token. */
static void count(struct exchange *exchange, long long imported, long long known,
                  long long refused)
{
    struct audit_entry *entry = &exchange->audit.entry;

    entry->counts = true;
    entry->imported = imported;
    entry->known = known;
    entry->refused = refused;
    access_count_runs(exchange, imported);
}

static void import_many(struct exchange *exchange, const struct import_body *body)
{
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(freep) struct import_report *report = malloc(sizeof *report);
    struct error err = {0};
    bool ok;

    if (!report) {
        error_no_memory(&err);
        reply_error(exchange, &err);
        return;
    }
    ok = import_lines(exchange->server->pool, body, report, &err);
    count(exchange, report->imported, report->known,
          report->refused); /* also on failure: some are stored */
    if (!ok) {
        reply_error(exchange, &err);
        return;
    }
    present_report(&out, report);
    reply_json(exchange, 200, &out);
}

static void import_single(struct exchange *exchange, const struct import_body *body)
{
    struct json_writer out = {.bytes = &exchange->reply.body};
    AUTO(db_loan_end) struct db_loan loan = {0};
    AUTO(run_clear) struct run run = {0};
    struct error err = {0};
    enum import_fate fate;
    struct run_id id;

    if (!import_one(exchange->server->pool, body, &id, &fate, &err)) {
        count(exchange, 0, 0, err.kind == ERROR_INVALID || err.kind == ERROR_CONFLICT);
        reply_error(exchange, &err);
        return;
    }
    count(exchange, fate == IMPORT_STORED, fate == IMPORT_KNOWN, 0);
    loan = db_borrow(exchange->server->pool);
    if (!runs_find(loan.db, id.text, &run, &err)) {
        reply_error(exchange, &err);
        return;
    }
    present_run(&out, NULL, &run, NULL);
    reply_json(exchange, fate == IMPORT_STORED ? 201 : 200, &out);
    if (!out.failed && fate == IMPORT_STORED)
        reply_field(exchange, "Location", "/v1/runs/%s", id.text);
}

void import_handler(struct exchange *exchange)
{
    static const char *const allowed[] = {NULL};
    const struct import_body body = {
        .text = exchange->request.body.data ? exchange->request.body.data : "",
        .length = exchange->request.body.used,
        .sender = access_sender(exchange)};
    bool lines = content_type_is_lines(exchange->request.headers.content_type);

    if (!request_accepts(exchange, "application/json") || !request_allows(exchange, allowed) ||
        !access_spend(exchange, LIMIT_RUNS, lines ? import_count(body.text, body.length) : 1))
        return;
    if (lines)
        import_many(exchange, &body);
    else
        import_single(exchange, &body);
}
