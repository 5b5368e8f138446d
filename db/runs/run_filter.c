/* Tested by tests/db/runs/run_list_test.c and tests/db/runs/exports_test.c. */
#include "db/runs/run_filter.h"

#include "common/bytes.h"
#include "common/cleanup.h"
#include "db/connection.h"

/* The conditions on texts, in one order for writing and for binding. */
static const struct {
    const char *condition;
    size_t offset;
} texts[] = {
    {" AND state = ?", offsetof(struct run_filter, state)},
    {" AND engine = ?", offsetof(struct run_filter, engine)},
    {" AND workload = ?", offsetof(struct run_filter, workload)},
    {" AND instance = ?", offsetof(struct run_filter, instance)},
    {" AND provenance = ?", offsetof(struct run_filter, provenance)},
    {" AND sender = ?", offsetof(struct run_filter, sender)},
    {" AND validity = ?", offsetof(struct run_filter, validity)},
    {" AND precision = ?", offsetof(struct run_filter, precision)},
    {" AND NOT EXISTS (SELECT 1 FROM deliveries WHERE hub = ? AND run = number)",
     offsetof(struct run_filter, unreported_to)},
};

static const char *text_of(const struct run_filter *filter, size_t i)
{
    const char *text;

    memcpy(&text, (const char *)filter + texts[i].offset, sizeof text);
    return text;
}

/* If the list is ordered by time, its index is read in that order; otherwise the rows are read in
 * their own order, and the plus keeps SQLite from sorting by the time index. */
static bool run_filter_add_times(struct bytes *sql, const struct run_query *wanted)
{
    const struct run_filter *filter = wanted->filter;
    const char *plus = wanted->by_creation ? "" : "+";
    bool ok = true;

    if (filter->since_us || filter->until_us)
        ok = bytes_printf(sql, " AND %screated_us >= ?", plus);
    if (filter->until_us)
        ok = ok && bytes_printf(sql, " AND %screated_us < ?", plus);
    if (filter->before && wanted->by_creation)
        ok = ok && bytes_printf(sql, " AND (created_us, number) <"
                                     " ((SELECT r.created_us FROM runs AS r WHERE r.number = ?),"
                                     " ?)");
    else if (filter->before)
        ok = ok && bytes_printf(sql, " AND number < ?");
    return ok;
}

/* Forces the index: after ANALYZE SQLite may choose to read all rows. */
static const char *index_of(const struct run_query *wanted)
{
    if (wanted->by_creation)
        return " INDEXED BY runs_by_creation";
    if (wanted->filter->sender)
        return " INDEXED BY runs_by_sender";
    if (wanted->filter->precision)
        return wanted->filter->state ? " INDEXED BY runs_by_state"
                                     : " INDEXED BY runs_by_precision";
    return wanted->filter->validity ? " INDEXED BY runs_by_validity" : "";
}

static bool run_filter_add_sql(struct bytes *sql, const struct run_query *wanted)
{
    const struct run_filter *filter = wanted->filter;
    bool ok = bytes_printf(sql, "%s%s WHERE true", wanted->select, index_of(wanted));

    for (size_t i = 0; i < COUNT(texts); i++)
        if (text_of(filter, i))
            ok = ok && bytes_printf(sql, "%s", texts[i].condition);
    for (int i = 0; i < filter->label_count; i++)
        ok = ok && bytes_printf(sql, " AND EXISTS (SELECT 1 FROM run_labels"
                                     " WHERE key = ? AND value = ? AND run = number)");
    if (filter->whole)
        ok = ok && bytes_printf(sql, " AND thinned_us IS NULL");
    if (filter->after)
        ok = ok && bytes_printf(sql, " AND number > ?");
    ok = ok && run_filter_add_times(sql, wanted);
    return ok && bytes_printf(sql, " ORDER BY %s LIMIT ?", wanted->order);
}

/* In the order of run_filter_add_times(). */
static void run_filter_bind_times(struct stmt *query, const struct run_query *wanted)
{
    const struct run_filter *filter = wanted->filter;

    if (filter->since_us || filter->until_us)
        stmt_integer(query, filter->since_us ? filter->since_us : 1);
    if (filter->until_us)
        stmt_integer(query, filter->until_us);
    if (filter->before && wanted->by_creation)
        stmt_integer(query, filter->before);
    if (filter->before)
        stmt_integer(query, filter->before);
}

/* In the order of run_filter_add_sql(). */
static void run_filter_bind_sql(struct stmt *query, const struct run_query *wanted)
{
    const struct run_filter *filter = wanted->filter;

    for (size_t i = 0; i < COUNT(texts); i++)
        if (text_of(filter, i))
            stmt_text(query, text_of(filter, i));
    for (int i = 0; i < filter->label_count; i++) {
        stmt_text(query, filter->labels[i].key);
        stmt_text(query, filter->labels[i].value);
    }
    if (filter->after)
        stmt_integer(query, filter->after);
    run_filter_bind_times(query, wanted);
    stmt_integer(query, wanted->limit);
}

bool run_filter_prepare(struct db *db, const struct run_query *wanted, struct stmt *ret_query,
                        struct error *err)
{
    AUTO(bytes_free) struct bytes sql = {.limit = 4096};
    int rc;

    *ret_query = (struct stmt){.sql = "runs of a filter"};
    if (!run_filter_add_sql(&sql, wanted))
        return error_set(err, ERROR_INTERNAL, NULL, "the statement of a filter is too long");
    rc = sqlite3_prepare_v2(db->handle, sql.data, -1, &ret_query->handle, NULL);
    if (rc != SQLITE_OK)
        return db_failed(err, rc, ret_query->sql);
    run_filter_bind_sql(ret_query, wanted);
    return true;
}

void run_filter_done(struct stmt *query)
{
    sqlite3_finalize(query->handle);
    query->handle = NULL;
}
