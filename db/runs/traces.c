#include "db/runs/traces.h"

#include "common/cleanup.h"
#include "db/stmt.h"
#include "engine/trace/trace.h"
#include "engine/trace/trace_evidence.h"

bool traces_put(struct db *db, long long number, const struct span *steps,
                const struct span *evidence, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *insert =
        stmt_prepare(db, "INSERT INTO traces (run, steps, evidence) VALUES (?, ?, ?)", err);

    stmt_integer(insert, number);
    stmt_bytes(insert, steps->start, steps->length);
    stmt_bytes(insert, evidence->start, evidence->length);
    return stmt_run(insert, err);
}

bool traces_equal(struct db *db, long long number, const struct span *steps,
                  const struct span *evidence, bool *ret_equal, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db, "SELECT 1 FROM traces WHERE run = ? AND steps = ? AND evidence = ?", err);

    stmt_integer(query, number);
    stmt_bytes(query, steps->start, steps->length);
    stmt_bytes(query, evidence->start, evidence->length);
    return stmt_finds(query, ret_equal, err);
}

/* Text that was checked before it was stored is now unreadable: not the caller's fault. */
static bool is_broken(long long number, const struct error *why, struct error *err)
{
    return error_set(err, ERROR_INTERNAL, NULL, "the trace of run %lld: %.40s %.120s", number,
                     why->field, why->message);
}

bool traces_steps(struct db *db, long long number, struct steps *ret_steps, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db, "SELECT steps FROM traces WHERE run = ?", err);
    struct error why = {0};
    enum stmt_step step;
    const char *text;

    stmt_integer(query, number);
    step = stmt_step(query, err);
    if (step != STMT_ROW)
        return step == STMT_DONE;
    text = stmt_column_text(query, 0);
    return trace_read_steps(text, strlen(text), ret_steps, &why) || is_broken(number, &why, err);
}

bool traces_evidence(struct db *db, long long number, struct evidence *evidence,
                     struct error *err)
{
    AUTO(evidence_free) struct evidence all = {0};
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db, "SELECT evidence FROM traces WHERE run = ?", err);
    struct error why = {0};
    enum stmt_step step;
    const char *text;

    stmt_integer(query, number);
    step = stmt_step(query, err);
    if (step != STMT_ROW)
        return step == STMT_DONE;
    text = stmt_column_text(query, 0);
    if (!trace_read_evidence(text, strlen(text), &all, &why))
        return is_broken(number, &why, err);
    for (size_t i = 0; i < all.observation_count; i++)
        evidence_observe(evidence, &all.observations[i]);
    for (size_t i = 0; i < all.reading_count; i++)
        evidence_add_reading(evidence, &all.readings[i]);
    return true;
}
