/* Tested by tests/api/test_backup.py. */
#include "server/runs/recheck.h"

#include "common/bytes.h"
#include "common/chance.h"
#include "common/cleanup.h"
#include "db/checksum.h"
#include "db/runs/exports.h"
#include "db/runs/runs.h"
#include "engine/document/run_document_write.h"
#include "engine/stats/summary_text.h"
#include "server/runs/conclusion.h"
#include "server/runs/stored_document.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#define AGREEMENT 1e-9 /* another math library may round the last digits differently */
#define DEPTH 4        /* of a summary, and of findings */

/* The altered parts of a run, separated by commas. */
struct differences {
    struct bytes text;
    bool failed; /* out of memory */
};

static void recheck_differs(struct differences *found, const char *name, const char *why)
{
    found->failed |=
        !bytes_printf(&found->text, "%s%s%s%.120s%s", found->text.used > 0 ? ", " : "", name,
                      *why ? " (" : "", why, *why ? ")" : "");
}

static bool recheck_agree(double left, double right)
{
    return fabs(left - right) <= AGREEMENT * fabs(right);
}

static bool values_agree(const json_t *left, const json_t *right, int depth);

static bool lists_agree(const json_t *left, const json_t *right, int depth)
{
    bool same = json_array_size(left) == json_array_size(right);

    for (size_t i = 0; same && i < json_array_size(left); i++)
        same = values_agree(json_array_get(left, i), json_array_get(right, i), depth);
    return same;
}

static bool objects_agree(const json_t *left, const json_t *right, int depth)
{
    bool same = json_object_size(left) == json_object_size(right);
    void *each = json_object_iter((json_t *)(uintptr_t)left);

    for (; same && each; each = json_object_iter_next((json_t *)(uintptr_t)left, each))
        same = values_agree(json_object_iter_value(each),
                            json_object_get(right, json_object_iter_key(each)), depth);
    return same;
}

static bool values_agree(const json_t *left, const json_t *right, int depth)
{
    if (json_is_number(left) && json_is_number(right))
        return recheck_agree(json_number_value(left), json_number_value(right));
    if (depth > 0 && json_is_object(left) && json_is_object(right))
        return objects_agree(left, right, depth - 1);
    if (depth > 0 && json_is_array(left) && json_is_array(right))
        return lists_agree(left, right, depth - 1);
    return json_equal(left, right);
}

/* `again` is valid JSON; `stored` may be anything. */
static bool texts_agree(const char *stored, const char *again)
{
    AUTO(json_decrefp) json_t *left = json_loads(stored, 0, NULL);
    AUTO(json_decrefp) json_t *right = json_loads(again, 0, NULL);

    return left && right && values_agree(left, right, DEPTH);
}

/* The row has the numbers twice: in the summary text and in columns for comparisons. */
static void compare_columns(const struct summary *stored, const struct summary *again,
                            struct differences *found)
{
    const struct range *left = &stored->throughput, *right = &again->throughput;
    const struct {
        const char *name;
        double stored, again;
    } columns[] = {
        {"measured_steps", (double)stored->measured_steps, (double)again->measured_steps},
        {"measured_seconds", stored->measured_seconds, again->measured_seconds},
        {"samples_per_second", stored->samples_per_second, again->samples_per_second},
        {"median_step_seconds", stored->median_step_seconds, again->median_step_seconds},
        {"first_measured", (double)stored->first_measured, (double)again->first_measured},
        {"throughput_low", left->known ? left->low : 0, right->known ? right->low : 0},
        {"throughput_high", left->known ? left->high : 0, right->known ? right->high : 0},
    };

    for (size_t i = 0; i < COUNT(columns); i++)
        if (!recheck_agree(columns[i].stored, columns[i].again))
            recheck_differs(found, columns[i].name, "");
}

static void recheck_compare(const struct run *run, const struct conclusion *conclusion,
                            struct differences *found)
{
    if (!texts_agree(run->summary_text, conclusion->summary_text))
        recheck_differs(found, "summary", "");
    compare_columns(&run->summary, &conclusion->summary, found);
    if (run->validity != conclusion->validity)
        recheck_differs(found, "validity", "");
    if (!texts_agree(run->findings ? run->findings : "", conclusion->findings))
        recheck_differs(found, "findings", "");
}

/* Whether this version of the statistics made the summary. True for a text that is not a summary:
 * it was altered. */
static bool is_ours(const struct run *run)
{
    AUTO(json_decrefp) json_t *stored = json_loads(run->summary_text, 0, NULL);
    json_int_t method = json_integer_value(json_object_get(stored, "method"));

    return method <= 0 || method == SUMMARY_METHOD;
}

static bool check_conclusion(struct db *db, const struct run *run, struct recheck_counts *counts,
                             struct differences *found, struct error *err)
{
    AUTO(conclusion_clear) struct conclusion conclusion = {0};
    struct error why = {0};

    if (run->state != RUN_FINISHED || run->thinned_us > 0 || !run->summary_text || !is_ours(run))
        return true;
    counts->drawn++;
    if (conclusion_draw(db, run, &conclusion, &why)) {
        recheck_compare(run, &conclusion, found);
        return true;
    }
    if (why.kind == ERROR_STORAGE || why.kind == ERROR_BUSY)
        return error_set(err, why.kind, NULL, "%s", why.message);
    recheck_differs(found, "steps", why.message);
    return true;
}

static bool check_checksum(struct db *db, const struct run *run, struct differences *found,
                           struct error *err)
{
    enum checksum_state state;

    if (!checksum_look(db, run->number, &state, err))
        return false;
    if (state != CHECKSUM_HOLDS)
        recheck_differs(found, "checksum", state == CHECKSUM_MISSING ? "it has none" : "");
    return true;
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

/* Whether a signed document can be restored as it was sent. */
static bool check_signature(struct db *db, const struct run *run, struct differences *found,
                            struct error *err)
{
    struct error why = {0};
    const struct run_filter only = {.after = run->number - 1, .limit = 1};
    struct reading reading = {
        .db = db, .text = {.limit = RUN_DOCUMENT_MAX}, .ok = true, .err = &why};
    long long last;
    bool read;

    if (!run->signed_by[0])
        return true;
    read = exports_each(db, &only, &(struct export_reader){read_document, &reading}, &last, err);
    bytes_free(&reading.text);
    if (read && !reading.ok)
        recheck_differs(found, "signature", "");
    return read;
}

static bool check_run(struct db *db, const struct checksum_run *which,
                      const struct recheck_order *order, struct recheck_counts *counts,
                      struct error *err)
{
    AUTO(transaction_end) struct transaction moment = {0}; /* a server may thin it meanwhile */
    struct differences found = {.text = {.limit = 4096}};
    AUTO(run_clear) struct run run = {0};
    bool ok = transaction_begin_reading(&moment, db, err) &&
              runs_find(db, which->id, &run, err) &&
              check_conclusion(db, &run, counts, &found, err) &&
              check_checksum(db, &run, &found, err) && check_signature(db, &run, &found, err);

    counts->looked++;
    if (ok && found.text.used > 0) {
        counts->altered++;
        order->tell(order->user, which->id, found.text.data);
    }
    ok = ok && (!found.failed || bytes_too_long(&found.text, "the list of differences", err));
    bytes_free(&found.text);
    return ok;
}

/* Chooses uniformly among the remaining runs. */
static bool is_chosen(const struct recheck_order *order, const struct recheck_counts *counts,
                      long long passed, struct chance *chance)
{
    long long left = counts->runs - passed, wanted = order->sample - counts->looked;

    return order->sample == 0 || wanted >= left ||
           (long long)chance_below(chance, (size_t)left) < wanted;
}

bool recheck_runs(struct db *db, const struct recheck_order *order,
                  struct recheck_counts *ret_counts, struct error *err)
{
    struct recheck_counts counts = {0};
    struct chance chance = {order->seed};
    struct checksum_run run = {0};

    if (!checksum_count(db, &counts.runs, err))
        return false;
    for (long long passed = 0;; passed++) {
        if (!order->go_on())
            return error_set(err, ERROR_CONFLICT, NULL, "it was stopped before all was read");
        if (!checksum_next(db, run.number, &run, err))
            return false;
        if (run.number == 0)
            break;
        if (is_chosen(order, &counts, passed, &chance) &&
            !check_run(db, &run, order, &counts, err))
            return false;
    }
    *ret_counts = counts;
    return true;
}
