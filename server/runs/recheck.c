/* Tested by tests/api/test_backup.py. */
#include "server/runs/recheck.h"

#include "common/cleanup.h"
#include "db/runs/exports.h"
#include "db/runs/run_list.h"
#include "db/runs/runs.h"
#include "engine/stats/summary_text.h"
#include "server/runs/conclusion.h"
#include "server/runs/stored_document.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#define PAGE 500
#define AGREEMENT 1e-9 /* another math library may round the last digits otherwise */

static bool agree(double left, double right)
{
    return fabs(left - right) <= AGREEMENT * fabs(right);
}

/* As deep as a summary is: three levels. */
static bool values_agree(const json_t *left, const json_t *right, int depth)
{
    const char *name;
    const json_t *value;

    if (json_is_number(left) && json_is_number(right))
        return agree(json_number_value(left), json_number_value(right));
    if (!json_is_object(left) || !json_is_object(right) || depth == 0)
        return json_equal(left, right);
    if (json_object_size(left) != json_object_size(right))
        return false;
    json_object_foreach(
        (json_t *)(uintptr_t)left, name,
        value) if (!values_agree(value, json_object_get(right, name), depth - 1)) return false;
    return true;
}

static bool columns_agree(const struct summary *left, const struct summary *right)
{
    return agree(left->samples_per_second, right->samples_per_second) &&
           left->throughput.known == right->throughput.known &&
           (!left->throughput.known || (agree(left->throughput.low, right->throughput.low) &&
                                        agree(left->throughput.high, right->throughput.high)));
}

/* Of a finished run with all its steps. The row has the number twice: in the text that is shown,
 * and in the columns that are compared. */
static bool check(struct db *db, const struct run *run, long long *count, struct error *err)
{
    AUTO(conclusion_clear) struct conclusion conclusion = {0};
    AUTO(json_decrefp) json_t *again = NULL;
    AUTO(json_decrefp) json_t *stored = json_loads(run->summary_text, 0, NULL);
    json_int_t method = json_integer_value(json_object_get(stored, "method")); /* 0: none */
    struct error why = {0};

    if (method > 0 && method != SUMMARY_METHOD)
        return true;
    if (!conclusion_draw(db, run, &conclusion, &why))
        return error_set(err, ERROR_DAMAGED, NULL, "the steps of run %s give no summary: %.120s",
                         run->id.text, why.message);
    again = json_loads(conclusion.summary_text, 0, NULL);
    if (!again)
        return error_no_memory(err);
    ++*count;
    return (values_agree(stored, again, 3) &&
            columns_agree(&run->summary, &conclusion.summary)) ||
           error_set(
               err, ERROR_DAMAGED, NULL,
               "the summary of run %s does not follow from its steps: one of both was altered",
               run->id.text);
}

/* What the reader of an export needs. */
struct reading {
    struct db *db;
    struct bytes text;
    bool ok;
    struct error *err;
};

static bool read_document(void *user, const struct document_parts *parts)
{
    struct reading *reading = user;

    reading->ok = run_document_write(reading->db, parts, NULL, &reading->text, reading->err);
    return false;
}

/* Whether the document that came signed can leave as it came. */
static bool check_signature(struct db *db, const struct run *run, struct error *err)
{
    const struct run_filter only = {.after = run->number - 1, .limit = 1};
    struct reading reading = {
        .db = db, .text = {.limit = RUN_DOCUMENT_MAX}, .ok = true, .err = err};
    long long last;
    bool read;

    if (!run->signed_by[0])
        return true;
    read = exports_each(db, &only, &(struct export_reader){read_document, &reading}, &last, err);
    bytes_free(&reading.text);
    return read && reading.ok;
}

static bool check_page(struct db *db, const struct run_list *list, bool (*go_on)(void),
                       long long *count, struct error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        AUTO(run_clear) struct run run = {0};

        if (!go_on())
            return error_set(err, ERROR_CONFLICT, NULL, "it was stopped before all was read");
        if (!runs_find(db, list->runs[i].id.text, &run, err) ||
            (run.summary_text && !check(db, &run, count, err)) || !check_signature(db, &run, err))
            return false;
    }
    return true;
}

bool recheck_runs(struct db *db, bool (*go_on)(void), long long *ret_count, struct error *err)
{
    struct run_filter filter = {.state = "finished", .whole = true, .limit = PAGE};
    bool more = true;

    *ret_count = 0;
    while (more) {
        AUTO(run_list_free) struct run_list list = {0};

        if (!run_list_load(db, &filter, &list, err) ||
            !check_page(db, &list, go_on, ret_count, err))
            return false;
        more = list.more && list.count > 0;
        if (more)
            filter.before = list.runs[list.count - 1].number;
    }
    return true;
}
