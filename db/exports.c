#include "db/exports.h"

#include "common/bytes.h"
#include "common/cleanup.h"
#include "db/connection.h"
#include "db/run_row.h"

/* Columns behind those of a run. */
enum { IMPLEMENTATIONS = 42, STRATUM, FACTS, STEPS, EVIDENCE };

#define EXPORT_COLUMNS                                                                           \
    RUN_COLUMNS ", (SELECT implementations FROM run_implementations WHERE run = runs.number),"   \
                " (SELECT stratum FROM machines WHERE machines.number = machine),"               \
                " (SELECT facts FROM machines WHERE machines.number = machine),"                 \
                " (SELECT traces.steps FROM traces WHERE run = runs.number),"                    \
                " (SELECT traces.evidence FROM traces WHERE run = runs.number)"

static bool add_conditions(struct bytes *sql, const struct export_filter *filter)
{
    bool ok = bytes_printf(sql, "SELECT " EXPORT_COLUMNS " FROM runs"
                                " WHERE state = 'finished' AND number > ?");

    if (filter->engine)
        ok = ok && bytes_printf(sql, " AND engine = ?");
    if (filter->workload)
        ok = ok && bytes_printf(sql, " AND workload = ?");
    if (filter->instance)
        ok = ok && bytes_printf(sql, " AND instance = ?");
    if (filter->provenance)
        ok = ok && bytes_printf(sql, " AND provenance = ?");
    for (int i = 0; i < filter->label_count; i++)
        ok = ok && bytes_printf(sql, " AND EXISTS (SELECT 1 FROM run_labels"
                                     " WHERE key = ? AND value = ? AND run = number)");
    return ok && bytes_printf(sql, " ORDER BY number LIMIT ?");
}

/* In the order of add_conditions(). */
static void bind_conditions(struct stmt *query, const struct export_filter *filter)
{
    const char *const texts[] = {filter->engine, filter->workload, filter->instance,
                                 filter->provenance};

    stmt_integer(query, filter->after);
    for (size_t i = 0; i < COUNT(texts); i++)
        if (texts[i])
            stmt_text(query, texts[i]);
    for (int i = 0; i < filter->label_count; i++) {
        stmt_text(query, filter->labels[i].key);
        stmt_text(query, filter->labels[i].value);
    }
    stmt_integer(query, filter->limit);
}

static const char *text_or_null(struct stmt *row, int column)
{
    const char *text = stmt_column_text(row, column);

    return *text ? text : NULL;
}

/* One row; false in *ret_more when that was enough. */
static bool tell_row(struct stmt *row, const struct export_reader *reader, long long *ret_last,
                     bool *ret_more, struct error *err)
{
    AUTO(run_clear) struct run run = {0};
    const char *implementations = text_or_null(row, IMPLEMENTATIONS);

    if (!run_from_row(row, &run, err))
        return false;
    if (implementations && !(run.implementations = strdup(implementations)))
        return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    *ret_last = run.number;
    *ret_more = reader->tell(reader->user,
                             &(struct document_parts){.run = &run,
                                                      .stratum = text_or_null(row, STRATUM),
                                                      .facts = text_or_null(row, FACTS),
                                                      .steps = text_or_null(row, STEPS),
                                                      .evidence = text_or_null(row, EVIDENCE)});
    return true;
}

static bool tell_all(struct stmt *query, const struct export_reader *reader, long long *ret_last,
                     struct error *err)
{
    enum stmt_step step = STMT_DONE;
    bool more = true;

    while (more && (step = stmt_step(query, err)) == STMT_ROW)
        if (!tell_row(query, reader, ret_last, &more, err))
            return false;
    return step != STMT_FAILED;
}

bool exports_each(struct db *db, const struct export_filter *filter,
                  const struct export_reader *reader, long long *ret_last, struct error *err)
{
    /* Prepared for one use, so that no client can fill the connection's table of statements. */
    AUTO(bytes_free) struct bytes sql = {.limit = 4096};
    struct stmt query = {0};
    bool ok;
    int rc;

    *ret_last = 0;
    if (!add_conditions(&sql, filter))
        return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    rc = sqlite3_prepare_v2(db->handle, sql.data, -1, &query.handle, NULL);
    if (rc != SQLITE_OK)
        return db_failed(err, rc, "the export");
    query.sql = "the export";
    bind_conditions(&query, filter);
    ok = tell_all(&query, reader, ret_last, err);
    sqlite3_finalize(query.handle);
    return ok;
}
