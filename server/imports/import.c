/* Tested by tests/api/test_import.py. */
#include "server/imports/import.h"

#include "common/bytes.h"
#include "common/cleanup.h"
#include "common/json_scan.h"
#include "common/memory.h"
#include "engine/document/run_document_read.h"
#include "engine/machine/machine.h"
#include "engine/machine/vm.h"
#include "engine/stats/summary_text.h"
#include "engine/trace/trace.h"
#include "engine/trace/trace_evidence.h"
#include "server/imports/import_cost.h"
#include "server/runs/conclusion.h"

#include <math.h>
#include <pthread.h>

/* Of one transaction: few, so that other writers do not wait long. */
#define BATCH_RUNS 256
#define BATCH_BYTES (1024 * 1024)
#define HELPED_BYTES (128 * 1024) /* more text is worth a second thread */

#define TRACE_BYTES_MAX (128 * 1024 * 1024)
#define OTHER_METHOD 0.5 /* the same, if the sender's statistics cut the warm-up elsewhere */

/* A document that may be stored. Its trace is text only: as numbers it would be many times as
 * large. */
struct item {
    long long line;
    struct span text;
    struct document document;
    struct bytes steps, evidence; /* set if the text had blanks or was missing */
    struct bytes signed_text;     /* of a signed one, and so is the next: */
    struct signed_text kept;
    struct error why; /* it is refused; of kind ERROR_NONE until then */
};

struct batch {
    struct item *items;
    size_t count;
    long long number; /* its turn */
    struct document_memo memo;
};

/* Two threads parse lines and compute conclusions in parallel, which is most of the work. They
 * store in turn, so that runs are numbered in the order of the lines. */
struct crew {
    struct db_pool *pool;
    const struct import_body *body;
    struct import_report *report; /* of the thread whose turn it is */
    pthread_mutex_t lock;         /* of all that follows */
    pthread_cond_t turned;
    const char *at, *end;
    long long line;        /* how many were taken */
    long long taken, turn; /* batches */
    bool failed;
    struct error err;
};

static void item_clear(struct item *item)
{
    document_clear(&item->document);
    bytes_free(&item->steps);
    bytes_free(&item->evidence);
    bytes_free(&item->signed_text);
}

static void batch_empty(struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        item_clear(&batch->items[i]);
    batch->count = 0;
}

static void batch_free(struct batch *batch)
{
    batch_empty(batch);
    document_memo_clear(&batch->memo);
    freep(&batch->items);
}

bool import_is_refusal(enum error_kind kind)
{
    return kind == ERROR_INVALID || kind == ERROR_CONFLICT || kind == ERROR_UNPROVEN ||
           kind == ERROR_FORBIDDEN;
}

/* Puts the conclusion of the trace into the run. */
static bool import_conclude(struct document *document, struct error *err)
{
    AUTO(conclusion_clear) struct conclusion conclusion = {0};
    struct run *run = &document->run;
    struct error why = {0};

    run->state = RUN_FINISHED;
    run->provenance = PROVENANCE_IMPORTED;
    run->steps = (long long)document->steps.count;
    if (!conclusion_compute(&(struct conclusion_inputs){.run = run,
                                                        .steps = &document->steps,
                                                        .evidence = &document->evidence,
                                                        .implementations = run->implementations,
                                                        .machine_facts = document->facts},
                            &conclusion, &why))
        /* A bad trace of an imported run is the sender's fault, not an engine's. */
        return error_set(err, why.kind == ERROR_INTERNAL ? ERROR_INTERNAL : ERROR_INVALID,
                         why.field[0] ? why.field : "steps", "%s", why.message);
    run->summary = conclusion.summary;
    run->validity = conclusion.validity;
    freep(&run->summary_text);
    freep(&run->findings);
    run->summary_text = take(&conclusion.summary_text);
    run->findings = take(&conclusion.findings);
    return true;
}

/* Whether the sender used other statistics than ours, which may cut the warm-up elsewhere. */
static bool has_other_method(const struct document *document)
{
    return document->method != 0 && document->method != SUMMARY_METHOD;
}

/* Detects a sender that writes milliseconds instead of nanoseconds. */
static bool check_claim(const struct document *document, struct error *err)
{
    double claimed = document->claimed, computed = document->run.summary.samples_per_second;
    double agreement = has_other_method(document) ? OTHER_METHOD : IMPORT_AGREEMENT;

    if (claimed == 0 || fabs(claimed - computed) <= agreement * computed)
        return true;
    return error_set(err, ERROR_INVALID, "summary.samples_per_second",
                     "is not what the steps give: %.9g claimed, %.9g computed", claimed,
                     computed);
}

static bool check_cost(struct document *document, struct error *err)
{
    struct run *run = &document->run;

    return has_other_method(document)
               ? import_cost_renew(&run->price, &run->summary, &run->paid, err)
               : import_cost_check(run->price, &run->summary, &run->paid, err);
}

/* A run without the machine's facts could not be judged again. A name that does not match its
 * facts could belong to another machine, whose runs would then be judged by these facts. */
static bool check_machine(const struct document *document, struct error *err)
{
    char fingerprint[MACHINE_HASH_SIZE], second[MACHINE_HASH_SIZE], stratum[MACHINE_HASH_SIZE];

    if (!document->run.machine[0])
        return true;
    if (!document->facts || !document->stratum[0])
        return error_set(err, ERROR_INVALID, "machine", "needs its stratum and its facts");
    machine_fingerprint(document->facts, fingerprint);
    machine_second_name(document->facts, second);
    if (strcmp(fingerprint, document->run.machine) != 0 &&
        strcmp(second, document->run.machine) != 0)
        return error_set(err, ERROR_INVALID, "machine.fingerprint",
                         "does not follow from machine.facts: theirs is %s", fingerprint);
    machine_stratum(document->facts, stratum);
    return !stratum[0] || strcmp(stratum, document->stratum) == 0 ||
           error_set(err, ERROR_INVALID, "machine.stratum",
                     "does not follow from machine.facts: theirs is %s", stratum);
}

static bool has_blanks(const struct span *text)
{
    static const char blanks[] = " \t\n\r";

    for (const char *blank = blanks; *blank; blank++)
        if (memchr(text->start, *blank, text->length))
            return true;
    return false;
}

/* Whether to rewrite the trace. Names in it have no blanks, so any blank is between parts. A long
 * trace is stored as rows, and text written from them must equal what was signed. */
static bool is_kept_anew(const struct document *document, const struct span *text)
{
    return has_blanks(text) ||
           (document->signature.key[0] && document->run.steps > IMPORT_TRACE_STEPS);
}

/* The trace as stored. */
static bool keep_trace(struct item *item, struct error *err)
{
    struct document *document = &item->document;
    struct span *steps = &document->steps_text, *evidence = &document->evidence_text;
    const struct sent_trace sent = {*steps, *evidence};

    item->steps.limit = item->evidence.limit = item->signed_text.limit = TRACE_BYTES_MAX;
    if (is_kept_anew(document, steps)) {
        if (!trace_write_steps(&item->steps, &document->steps))
            return bytes_too_long(&item->steps, "the text of the steps", err);
        *steps = (struct span){item->steps.data, item->steps.used};
    }
    if (!evidence->start || evidence->length == 0 || is_kept_anew(document, evidence)) {
        if (!trace_write_evidence(&item->evidence, &document->evidence))
            return bytes_too_long(&item->evidence, "the text of the evidence", err);
        *evidence = (struct span){item->evidence.data, item->evidence.used};
    }
    steps_free(&document->steps);
    evidence_free(&document->evidence);
    return !document->signature.key[0] ||
           import_signatures_keep(document, &sent, &item->signed_text, &item->kept, err);
}

/* Parses a document and prepares its rows. The caller clears the item. */
static bool import_prepare(struct item *item, struct document_memo *memo,
                           const struct import_body *body, struct error *err)
{
    struct document *document = &item->document;

    if (!document_read_next(memo, item->text.start, item->text.length, document, err))
        return false;
    snprintf(document->run.sender, sizeof document->run.sender, "%s", body->sender);
    return import_signatures_verify(document, &body->rules, err) &&
           check_machine(document, err) && import_conclude(document, err) &&
           check_claim(document, err) && check_cost(document, err) && keep_trace(item, err);
}

static bool put_item(struct imports *imports, const struct import_body *body,
                     const struct item *item, enum import_fate *ret_fate, struct error *err)
{
    const struct document *document = &item->document;
    const struct signature *signature = &document->signature;

    return import_signatures_allow(imports->db, body->sender, &body->rules, signature, err) &&
           imports_put(imports,
                       &(struct imported){.run = &document->run,
                                          .stratum = document->stratum,
                                          .facts = document->facts,
                                          .steps = document->steps_text,
                                          .evidence = document->evidence_text,
                                          .kept = signature->key[0] ? &item->kept : NULL},
                       ret_fate, err);
}

static void import_refuse(struct import_report *report, const struct item *item,
                          const struct error *why)
{
    report->refused++;
    if (report->refusal_count < IMPORT_REFUSALS_MAX)
        report->refusals[report->refusal_count++] = (struct import_refusal){
            .line = item->line, .id = item->document.run.id, .error = *why};
}

static bool put_all(struct imports *imports, const struct import_body *body,
                    const struct batch *batch, struct import_report *report, struct error *err)
{
    for (size_t i = 0; i < batch->count; i++) {
        struct error why = batch->items[i].why;
        enum import_fate fate;

        if (why.kind == ERROR_NONE && put_item(imports, body, &batch->items[i], &fate, &why)) {
            report->imported += fate != IMPORT_KNOWN;
            report->held += fate == IMPORT_HELD;
            report->known += fate == IMPORT_KNOWN;
        } else if (import_is_refusal(why.kind)) {
            import_refuse(report, &batch->items[i], &why);
        } else {
            return error_set(err, why.kind, NULL, "%s", why.message);
        }
    }
    return true;
}

/* Stores the batch and reports the result of each document. */
static bool import_flush(const struct crew *crew, const struct batch *batch, struct error *err)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(crew->pool);
    struct import_report *report = crew->report;
    AUTO(imports_end) struct imports imports = {0};
    const long long imported = report->imported, known = report->known, refused = report->refused;
    const long long held = report->held;
    const size_t refusal_count = report->refusal_count;

    if (imports_begin(&imports, loan.db, err) &&
        put_all(&imports, crew->body, batch, report, err) && imports_commit(&imports, err))
        return true;
    report->imported = imported; /* the transaction was rolled back */
    report->held = held;
    report->known = known;
    report->refused = refused;
    report->refusal_count = refusal_count;
    return false;
}

/* The id of an unreadable line, if at least that can be parsed: the sender needs it to find the
 * document. */
static void find_id(const struct span *line, struct run_id *ret_id)
{
    struct json_scan scan = json_scan_of(*line);
    struct span name, value;
    bool first = true;

    ret_id->text[0] = '\0';
    if (!json_scan_take(&scan, '{'))
        return;
    while (json_scan_member(&scan, &first, &name) == JSON_SCAN_MEMBER &&
           json_scan_extent(&scan, &value)) {
        if (!span_is(name, "id"))
            continue;
        if (value.length == RUN_ID_LENGTH + 2)
            snprintf(ret_id->text, sizeof ret_id->text, "%.*s", RUN_ID_LENGTH, value.start + 1);
        if (!run_id_is_valid(ret_id->text))
            ret_id->text[0] = '\0';
        return;
    }
}

static bool may_go_on(const struct import_body *body, struct error *err)
{
    return !body->stop || !atomic_load(body->stop) ||
           error_set(err, ERROR_BUSY, NULL,
                     "the server is stopping; what it has stored is known when this comes again");
}

/* Parses the batch. False for a failure that no line caused. */
static bool prepare_all(struct batch *batch, const struct import_body *body, struct error *err)
{
    for (size_t i = 0; i < batch->count; i++) {
        struct item *item = &batch->items[i];

        if (!may_go_on(body, err))
            return false;
        if (import_prepare(item, &batch->memo, body, &item->why))
            continue;
        if (!import_is_refusal(item->why.kind))
            return error_set(err, item->why.kind, NULL, "%s", item->why.message);
        if (!item->document.run.id.text[0])
            find_id(&item->text, &item->document.run.id);
    }
    return true;
}

static bool is_blank(const struct span *line)
{
    for (size_t i = 0; i < line->length; i++)
        if (!strchr(" \t\r", line->start[i]) || line->start[i] == '\0')
            return false;
    return true;
}

/* Cuts off the next line between *at and the end. */
static struct span cut_line(const char **at, const char *end)
{
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    struct span line = {*at, (size_t)((newline ? newline : end) - *at)};

    *at = newline ? newline + 1 : end;
    return line;
}

long long import_count(const char *text, size_t length)
{
    const char *at = text, *end = text + length;
    long long count = 0;

    while (at < end) {
        struct span line = cut_line(&at, end);

        count += !is_blank(&line);
    }
    return count;
}

static struct span next_line(struct crew *crew)
{
    crew->line++;
    return cut_line(&crew->at, crew->end);
}

/* Fills an empty batch with the next lines; false if there are none or the import has failed. */
static bool take_lines(struct crew *crew, struct batch *batch)
{
    size_t bytes = 0;

    pthread_mutex_lock(&crew->lock);
    while (!crew->failed && crew->at < crew->end && batch->count < BATCH_RUNS &&
           bytes < BATCH_BYTES) {
        struct span line = next_line(crew);

        if (is_blank(&line))
            continue;
        memset(&batch->items[batch->count], 0, sizeof batch->items[0]);
        batch->items[batch->count].line = crew->line;
        batch->items[batch->count++].text = line;
        bytes += line.length;
    }
    if (batch->count > 0)
        batch->number = crew->taken++;
    pthread_mutex_unlock(&crew->lock);
    return batch->count > 0;
}

/* False if another thread has failed meanwhile. */
static bool wait_for_turn(struct crew *crew, const struct batch *batch)
{
    bool ok;

    pthread_mutex_lock(&crew->lock);
    while (crew->turn != batch->number && !crew->failed)
        pthread_cond_wait(&crew->turned, &crew->lock);
    ok = !crew->failed;
    pthread_mutex_unlock(&crew->lock);
    return ok;
}

static void end_turn(struct crew *crew, const struct error *err)
{
    pthread_mutex_lock(&crew->lock);
    crew->turn++;
    if (err->kind != ERROR_NONE && !crew->failed) {
        crew->failed = true;
        crew->err = *err;
    }
    pthread_cond_broadcast(&crew->turned);
    pthread_mutex_unlock(&crew->lock);
}

/* What each thread does, until all is done. */
static void import_work(struct crew *crew, struct batch *batch)
{
    while (take_lines(crew, batch)) {
        struct error err = {0};

        if (prepare_all(batch, crew->body, &err) && wait_for_turn(crew, batch))
            (void)!import_flush(crew, batch, &err);
        end_turn(crew, &err);
        batch_empty(batch);
    }
}

static void *import_help(void *user)
{
    AUTO(batch_free) struct batch batch = {.items = xmalloc(BATCH_RUNS * sizeof *batch.items)};

    import_work(user, &batch);
    return NULL;
}

bool import_lines(struct db_pool *pool, const struct import_body *body,
                  struct import_report *ret_report, struct error *err)
{
    AUTO(batch_free) struct batch batch = {.items = xmalloc(BATCH_RUNS * sizeof *batch.items)};
    struct crew crew = {.pool = pool,
                        .body = body,
                        .report = ret_report,
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .turned = PTHREAD_COND_INITIALIZER,
                        .at = body->text,
                        .end = body->text + body->length};
    pthread_t helper;
    bool helped;

    *ret_report = (struct import_report){0};
    if (!import_signatures_bind(pool, body->sender, &body->rules, err))
        return false;
    helped =
        body->length > HELPED_BYTES && pthread_create(&helper, NULL, import_help, &crew) == 0;
    import_work(&crew, &batch);
    if (helped)
        pthread_join(helper, NULL);
    pthread_mutex_destroy(&crew.lock);
    pthread_cond_destroy(&crew.turned);
    return !crew.failed || error_set(err, crew.err.kind, NULL, "%s", crew.err.message);
}

bool import_one(struct db_pool *pool, const struct import_body *body, struct run_id *ret_id,
                enum import_fate *ret_fate, struct error *err)
{
    AUTO(db_loan_end) struct db_loan loan = {0};
    AUTO(imports_end) struct imports imports = {0};
    AUTO(item_clear) struct item item = {.line = 1, .text = {body->text, body->length}};
    AUTO(document_memo_clear) struct document_memo memo = {0};

    if (!may_go_on(body, err) || !import_signatures_bind(pool, body->sender, &body->rules, err) ||
        !import_prepare(&item, &memo, body, err))
        return false;
    *ret_id = item.document.run.id;
    loan = db_borrow(pool);
    return imports_begin(&imports, loan.db, err) &&
           put_item(&imports, body, &item, ret_fate, err) && imports_commit(&imports, err);
}
