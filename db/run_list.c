#include "db/run_list.h"

#include "common/bytes.h"
#include "common/cleanup.h"
#include "db/connection.h"
#include "db/run_row.h"

static bool add_conditions(struct bytes *sql, const struct run_filter *filter)
{
    bool ok = bytes_printf(sql, "SELECT " RUN_LIST_COLUMNS " FROM runs WHERE true");

    if (filter->state)
        ok = ok && bytes_printf(sql, " AND state = ?");
    if (filter->engine)
        ok = ok && bytes_printf(sql, " AND engine = ?");
    if (filter->workload)
        ok = ok && bytes_printf(sql, " AND workload = ?");
    if (filter->instance)
        ok = ok && bytes_printf(sql, " AND instance = ?");
    for (int i = 0; i < filter->label_count; i++)
        ok = ok && bytes_printf(sql, " AND EXISTS (SELECT 1 FROM run_labels"
                                     " WHERE key = ? AND value = ? AND run = number)");
    if (filter->before)
        ok = ok && bytes_printf(sql, " AND number < ?");
    return ok && bytes_printf(sql, " ORDER BY number DESC LIMIT ?");
}

/* In the order of add_conditions(). */
static void bind_conditions(struct stmt *query, const struct run_filter *filter)
{
    const char *const texts[] = {filter->state, filter->engine, filter->workload,
                                 filter->instance};

    for (size_t i = 0; i < COUNT(texts); i++)
        if (texts[i])
            stmt_text(query, texts[i]);
    for (int i = 0; i < filter->label_count; i++) {
        stmt_text(query, filter->labels[i].key);
        stmt_text(query, filter->labels[i].value);
    }
    if (filter->before)
        stmt_integer(query, filter->before);
    stmt_integer(query, filter->limit + 1); /* one more than asked tells whether there are more */
}

static bool collect(struct stmt *query, long long limit, struct run_list *list, struct error *err)
{
    enum stmt_step step;

    list->runs = calloc((size_t)limit, sizeof *list->runs);
    if (!list->runs)
        return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    while ((step = stmt_step(query, err)) == STMT_ROW) {
        list->more = list->count == (size_t)limit;
        if (list->more)
            return true;
        if (!run_from_row(query, &list->runs[list->count], err))
            return false;
        list->count++;
    }
    return step == STMT_DONE;
}

/* The page everybody asks for keeps its statement; the many other shapes of this query are
 * prepared for one use, so that no client can fill the connection's table of statements. */
static bool query_once(struct db *db, const struct run_filter *filter, struct run_list *list,
                       struct error *err)
{
    AUTO(bytes_free) struct bytes sql = {.limit = 2048};
    struct stmt query = {0};
    bool ok;
    int rc;

    if (!add_conditions(&sql, filter))
        return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    rc = sqlite3_prepare_v2(db->handle, sql.data, -1, &query.handle, NULL);
    if (rc != SQLITE_OK)
        return db_failed(err, rc, sql.data);
    query.sql = sql.data;
    bind_conditions(&query, filter);
    ok = collect(&query, filter->limit, list, err);
    sqlite3_finalize(query.handle);
    return ok;
}

static bool query_newest(struct db *db, long long limit, struct run_list *list, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db, "SELECT " RUN_LIST_COLUMNS " FROM runs ORDER BY number DESC LIMIT ?", err);

    if (!query)
        return false;
    stmt_integer(query, limit + 1);
    return collect(query, limit, list, err);
}

static bool has_conditions(const struct run_filter *filter)
{
    return filter->state || filter->engine || filter->workload || filter->instance ||
           filter->label_count > 0 || filter->before > 0;
}

bool run_list_load(struct db *db, const struct run_filter *filter, struct run_list *ret_list,
                   struct error *err)
{
    AUTO(run_list_free) struct run_list list = {0};

    if (!(has_conditions(filter) ? query_once(db, filter, &list, err)
                                 : query_newest(db, filter->limit, &list, err)))
        return false;
    *ret_list = list;
    list = (struct run_list){0};
    return true;
}

void run_list_free(struct run_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        run_clear(&list->runs[i]);
    free(list->runs);
    *list = (struct run_list){0};
}
