#include "server/import.h"

#include "common/bytes.h"
#include "common/cleanup.h"
#include "engine/scan.h"
#include "engine/trace.h"
#include "server/conclusion.h"
#include "server/import_cost.h"

#include <math.h>

/* Of one transaction: few enough that others who write do not wait long. */
#define BATCH_RUNS 256
#define BATCH_BYTES (4 * 1024 * 1024) /* of traces that had to be written again */

#define TRACE_BYTES_MAX (128 * 1024 * 1024)
#define AGREEMENT 0.001 /* between the sender's number and ours */

/* A document that may be stored. Its trace is text only: as numbers it would be many times as
 * large. */
struct item {
    long long line;
    struct document document;
    struct bytes steps, evidence; /* where the text that came had blanks, or there was none */
};

struct batch {
    struct item *items;
    size_t count, bytes;
    struct document_memo memo;
};

static void item_clear(struct item *item)
{
    document_clear(&item->document);
    bytes_free(&item->steps);
    bytes_free(&item->evidence);
}

static void batch_empty(struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        item_clear(&batch->items[i]);
    batch->count = batch->bytes = 0;
}

static void batch_free(struct batch *batch)
{
    batch_empty(batch);
    document_memo_clear(&batch->memo);
    freep(&batch->items);
}

static bool is_refusal(const struct error *err)
{
    return err->kind == ERROR_INVALID || err->kind == ERROR_CONFLICT;
}

/* What the trace comes to, put into the run. */
static bool conclude(struct document *document, struct error *err)
{
    AUTO(conclusion_clear) struct conclusion conclusion = {0};
    struct run *run = &document->run;
    struct error why = {0};

    run->state = RUN_FINISHED;
    run->provenance = PROVENANCE_IMPORTED;
    run->steps = (long long)document->steps.count;
    if (!conclusion_compute(&(struct premises){.run = run,
                                               .spec = &document->spec,
                                               .steps = &document->steps,
                                               .evidence = &document->evidence,
                                               .implementations = run->implementations,
                                               .machine_facts = document->facts},
                            &conclusion, &why))
        /* Of a run that was measured here a bad trace is its engine's fault; of this one, the
         * sender's. */
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

/* A sender who means milliseconds where nanoseconds are asked for is found here. */
static bool check_claim(const struct document *document, struct error *err)
{
    double claimed = document->claimed, computed = document->run.summary.samples_per_second;

    if (claimed == 0 || fabs(claimed - computed) <= AGREEMENT * computed)
        return true;
    return error_set(err, ERROR_INVALID, "summary.samples_per_second",
                     "is not what the steps give: %.9g claimed, %.9g computed", claimed,
                     computed);
}

/* A run whose machine has a name only could not be judged again. */
static bool check_machine(const struct document *document, struct error *err)
{
    return !document->run.machine[0] || (document->facts && document->stratum[0]) ||
           error_set(err, ERROR_INVALID, "machine", "needs its stratum and its facts");
}

static bool has_blanks(const struct span *text)
{
    static const char blanks[] = " \t\n\r";

    for (const char *blank = blanks; *blank; blank++)
        if (memchr(text->start, *blank, text->length))
            return true;
    return false;
}

/* The trace as it is kept. Names in it have no blanks, so any blank is one between its parts. */
static bool keep_trace(struct item *item, struct error *err)
{
    struct document *document = &item->document;
    struct span *steps = &document->steps_text, *evidence = &document->evidence_text;
    bool ok = true;

    item->steps.limit = item->evidence.limit = TRACE_BYTES_MAX;
    if (has_blanks(steps)) {
        ok = trace_write_steps(&item->steps, &document->steps);
        *steps = (struct span){item->steps.data, item->steps.used};
    }
    if (ok && (!evidence->start || evidence->length == 0 || has_blanks(evidence))) {
        ok = trace_write_evidence(&item->evidence, &document->evidence);
        *evidence = (struct span){item->evidence.data, item->evidence.used};
    }
    steps_free(&document->steps);
    evidence_free(&document->evidence);
    return ok || error_set(err, ERROR_INTERNAL, NULL, "out of memory");
}

/* Reads a document and makes ready what is stored of it. The item is cleared by the caller. */
static bool prepare(struct item *item, struct document_memo *memo, const struct span *text,
                    struct error *err)
{
    struct document *document = &item->document;

    return document_read_next(memo, text->start, text->length, document, err) &&
           check_machine(document, err) && conclude(document, err) &&
           check_claim(document, err) &&
           import_cost_check(document->run.price, &document->run.summary, err) &&
           keep_trace(item, err);
}

static bool put_item(struct imports *imports, const struct item *item, enum import_fate *ret_fate,
                     struct error *err)
{
    const struct document *document = &item->document;

    return imports_put(imports,
                       &(struct imported){.run = &document->run,
                                          .spec = &document->spec,
                                          .stratum = document->stratum,
                                          .facts = document->facts,
                                          .steps = document->steps_text,
                                          .evidence = document->evidence_text},
                       ret_fate, err);
}

static void refuse(struct import_report *report, const struct item *item, const struct error *why)
{
    report->refused++;
    if (report->refusal_count < IMPORT_REFUSALS_MAX)
        report->refusals[report->refusal_count++] = (struct import_refusal){
            .line = item->line, .id = item->document.run.id, .error = *why};
}

/* Stores what is in the batch, and empties it. */
static bool flush(struct db_pool *pool, struct batch *batch, struct import_report *report,
                  struct error *err)
{
    AUTO(db_loan_end) struct db_loan loan = {0};
    AUTO(imports_end) struct imports imports = {0};
    bool ok;

    if (batch->count == 0)
        return true;
    loan = db_borrow(pool);
    ok = imports_begin(&imports, loan.db, err);
    for (size_t i = 0; ok && i < batch->count; i++) {
        struct error why = {0};
        enum import_fate fate;

        if (put_item(&imports, &batch->items[i], &fate, &why)) {
            report->imported += fate == IMPORT_STORED;
            report->known += fate == IMPORT_KNOWN;
        } else if (is_refusal(&why)) {
            refuse(report, &batch->items[i], &why);
        } else {
            ok = error_set(err, why.kind, NULL, "%s", why.message);
        }
    }
    ok = ok && imports_commit(&imports, err);
    batch_empty(batch);
    return ok;
}

/* The id of a line that could not be read, where at least that can be: a sender of thousands
 * looks for it. */
static void find_id(const struct span *line, struct run_id *ret_id)
{
    struct scan scan = scan_of(*line);
    struct span name, value;
    bool first = true;

    ret_id->text[0] = '\0';
    if (!scan_take(&scan, '{'))
        return;
    while (scan_member(&scan, &first, &name) == SCAN_MEMBER && scan_extent(&scan, &value)) {
        if (!span_is(name, "id"))
            continue;
        if (value.length == RUN_ID_LENGTH + 2)
            snprintf(ret_id->text, sizeof ret_id->text, "%.*s", RUN_ID_LENGTH, value.start + 1);
        if (!run_id_is_valid(ret_id->text))
            ret_id->text[0] = '\0';
        return;
    }
}

/* One line, into the batch or among the refused. */
static bool take_line(struct batch *batch, long long number, const struct span *line,
                      struct import_report *report, struct error *err)
{
    struct item *item = &batch->items[batch->count];
    struct error why = {0};

    memset(item, 0, sizeof *item);
    item->line = number;
    if (prepare(item, &batch->memo, line, &why)) {
        batch->bytes += item->steps.used + item->evidence.used;
        batch->count++;
        return true;
    }
    if (is_refusal(&why)) {
        if (!item->document.run.id.text[0])
            find_id(line, &item->document.run.id);
        refuse(report, item, &why);
    }
    item_clear(item);
    return is_refusal(&why) || error_set(err, why.kind, NULL, "%s", why.message);
}

static bool is_blank(const struct span *line)
{
    for (size_t i = 0; i < line->length; i++)
        if (!strchr(" \t\r", line->start[i]) || line->start[i] == '\0')
            return false;
    return true;
}

static int by_line(const void *left, const void *right)
{
    long long a = ((const struct import_refusal *)left)->line;
    long long b = ((const struct import_refusal *)right)->line;

    return (a > b) - (a < b);
}

bool import_lines(struct db_pool *pool, const char *text, size_t length,
                  struct import_report *ret_report, struct error *err)
{
    AUTO(batch_free)
    struct batch batch = {.items = malloc(BATCH_RUNS * sizeof *batch.items)};
    const char *end = text + length;
    long long number = 0;

    *ret_report = (struct import_report){0};
    if (!batch.items)
        return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        struct span line = {text, (size_t)((newline ? newline : end) - text)};

        number++;
        text = newline ? newline + 1 : end;
        if (!is_blank(&line) && !take_line(&batch, number, &line, ret_report, err))
            return false;
        if ((batch.count == BATCH_RUNS || batch.bytes > BATCH_BYTES) &&
            !flush(pool, &batch, ret_report, err))
            return false;
    }
    if (!flush(pool, &batch, ret_report, err))
        return false;
    qsort(ret_report->refusals, ret_report->refusal_count, sizeof *ret_report->refusals, by_line);
    return true;
}

bool import_one(struct db_pool *pool, const char *text, size_t length, struct run_id *ret_id,
                enum import_fate *ret_fate, struct error *err)
{
    AUTO(db_loan_end) struct db_loan loan = {0};
    AUTO(imports_end) struct imports imports = {0};
    AUTO(item_clear) struct item item = {.line = 1};
    AUTO(document_memo_clear) struct document_memo memo = {0};

    if (!prepare(&item, &memo, &(struct span){text, length}, err))
        return false;
    *ret_id = item.document.run.id;
    loan = db_borrow(pool);
    return imports_begin(&imports, loan.db, err) && put_item(&imports, &item, ret_fate, err) &&
           imports_commit(&imports, err);
}
