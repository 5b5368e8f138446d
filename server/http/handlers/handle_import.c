/* /v1/runs/import: stores runs measured elsewhere: one document, or many with one per line. A
 * long job does it while the answer is held. Tested by tests/api/test_import.py
 * and tests/attack/test_uploads.py. */
#include "common/memory.h"
#include "db/runs/runs.h"
#include "engine/machine/vm.h"
#include "server/http/access.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/present_run.h"
#include "server/http/long_work.h"
#include "server/http/negotiate.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"
#include "server/imports/import_jobs.h"
#include "server/keys/signing.h"

#include "common/cleanup.h"

static const struct member refusal_rows[] = {
    {MEMBER(struct import_refusal, line), .range = MEMBER_POSITIVE, .meaning = "From 1."},
    {MEMBER_AS(struct import_refusal, "id", id.text), .reference = "RunId", .nullable = true,
     .meaning = "null where it could not be read."},
    {MEMBER_AS(struct import_refusal, "field", error.field), .nullable = true},
    {MEMBER_AS(struct import_refusal, "reason", error.message)},
    {0},
};
static const struct members refusal_members = {.name = "ImportRefusal", .rows = refusal_rows};

MEMBER_LISTS(write_errors, struct import_report, report, report->refusals, report->refusal_count)

static const struct member report_rows[] = {
    {MEMBER(struct import_report, imported), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Runs stored now."},
    {MEMBER(struct import_report, held), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "How many of these contradict known runs, and are held in quarantine: they "
                "count nowhere until the operator lifts their void."},
    {MEMBER(struct import_report, known), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Runs that were here already."},
    {MEMBER(struct import_report, refused), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_LIST_OF("errors", &refusal_members), .most = IMPORT_REFUSALS_MAX,
     .write = write_errors, .meaning = "Reasons of the refused lines, at most fifty."},
    {0},
};
const struct members import_report_members = {.name = "ImportReport", .rows = report_rows};

/* Counts for the audit, and for the metrics of the token. */
static void import_audit(struct exchange *exchange, long long imported, long long known,
                         long long refused)
{
    struct audit_entry *entry = &exchange->audit.entry;

    entry->counts = true;
    entry->imported = imported;
    entry->known = known;
    entry->refused = refused;
    access_count_runs(exchange, imported);
}

static void reply_many(struct exchange *exchange, const struct import_job *job)
{
    const struct import_report *report = &job->report;

    import_audit(exchange, report->imported, report->known,
                 report->refused); /* also on failure: some are stored */
    if (!job->ok)
        reply_error(exchange, &job->err);
    else
        reply_object(exchange, 200, &import_report_members, report);
}

static void reply_single(struct exchange *exchange, const struct import_job *job)
{
    AUTO(db_loan_end) struct db_loan loan = {0};
    AUTO(run_clear) struct run run = {0};
    enum error_kind kind = job->err.kind;
    struct error err = {0};

    if (!job->ok) {
        import_audit(exchange, 0, 0, import_is_refusal(kind));
        reply_error(exchange, &job->err);
        return;
    }
    import_audit(exchange, job->fate != IMPORT_KNOWN, job->fate == IMPORT_KNOWN, 0);
    loan = db_borrow(exchange->server->pool);
    if (!runs_find(loan.db, job->id.text, &run, &err)) {
        reply_error(exchange, &err);
        return;
    }
    reply_object(exchange, job->fate != IMPORT_KNOWN ? 201 : 200, &run_members, &run);
    if (exchange->reply.status == 201)
        reply_field(exchange, "Location", "/v1/runs/%s", job->id.text);
}

/* Owned by the hold. A client that resets its connection ends the exchange at once. */
struct held_import {
    struct import_job import;
    struct long_jobs *jobs;
};

static void held_import_free(void *state)
{
    struct held_import *held = state;

    long_jobs_cancel(held->jobs, &held->import.job);
    free(held);
}

/* If the client leaves, the import goes on: the audit must say what was stored. */
static void go_on_import(struct exchange *exchange)
{
    const struct import_job *job = &((struct held_import *)exchange->hold.state)->import;

    exchange->hold.waits = !long_work_has_ended(exchange, &job->job);
    if (exchange->hold.waits)
        return;
    if (job->lines)
        reply_many(exchange, job);
    else
        reply_single(exchange, job);
}

/* Without a token there is no sender to bind a key to. */
static bool read_rules(const struct exchange *exchange, struct import_rules *ret_rules,
                       struct error *err)
{
    const struct request *request = &exchange->request;
    const char *proof = request->headers.key_proof;
    const char *token = bearer_token(request->headers.authorization);
    const char *must_be_signed = exchange->server->config->require_signatures;

    *ret_rules = (struct import_rules){.must_be_signed = strcmp(must_be_signed, "on") == 0,
                                       .many_keys = request->grant.many_keys};
    return !proof || !token || signing_check_proof(proof, token, ret_rules->proven, err);
}

void import_handler(struct exchange *exchange)
{
    const struct bytes *body = &exchange->request.body;
    bool lines = content_type_is_lines(exchange->request.headers.content_type);
    AUTO(freep) struct held_import *held = NULL;
    struct import_job *job;
    struct error err = {0};

    if (!access_spend(exchange, LIMIT_RUNS,
                      lines && body->data ? import_count(body->data, body->used) : 1))
        return;
    held = xcalloc(1, sizeof *held);
    held->jobs = exchange->server->long_jobs;
    job = &held->import;
    job->pool = exchange->server->pool;
    job->lines = lines;
    job->body = (struct import_body){.text = body->data ? body->data : "",
                                     .length = body->used,
                                     .sender = access_sender(exchange)};
    import_job_begin(job);
    if (!read_rules(exchange, &job->body.rules, &err) ||
        !long_work_put(exchange, &job->job, &err)) {
        reply_error(exchange, &err);
        return;
    }
    exchange->hold =
        (struct hold){.go_on = go_on_import, .free = held_import_free, .state = take(&held)};
    go_on_import(exchange);
}
