#include "db/runs/run_list.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "db/runs/run_row.h"

static bool run_list_collect(struct stmt *query, long long limit, struct run_list *list,
                             struct error *err)
{
    enum stmt_step step;

    list->runs = xreallocarray(NULL, (size_t)limit, sizeof *list->runs);
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

static bool run_list_query_once(struct db *db, const struct run_filter *filter,
                                struct run_list *list, struct error *err)
{
    AUTO(run_filter_done) struct stmt query = {0};
    bool by_creation = filter->since_us || filter->until_us;

    /* One more row than requested shows whether there are more. */
    return run_filter_prepare(
               db,
               &(struct run_query){.select = "SELECT " RUN_LIST_COLUMNS " FROM runs",
                                   .order = by_creation ? "created_us DESC, number DESC"
                                                        : "number DESC",
                                   .by_creation = by_creation,
                                   .filter = filter,
                                   .limit = filter->limit + 1},
               &query, err) &&
           run_list_collect(&query, filter->limit, list, err);
}

/* The most common page keeps its statement. */
static bool run_list_query_newest(struct db *db, long long limit, struct run_list *list,
                                  struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db, "SELECT " RUN_LIST_COLUMNS " FROM runs ORDER BY number DESC LIMIT ?", err);

    stmt_integer(query, limit + 1);
    return run_list_collect(query, limit, list, err);
}

static bool has_conditions(const struct run_filter *filter)
{
    return filter->state || filter->engine || filter->workload || filter->instance ||
           filter->provenance || filter->sender || filter->precision || filter->validity ||
           filter->since_us || filter->until_us || filter->label_count > 0 ||
           filter->before > 0 || filter->after > 0;
}

bool run_list_load(struct db *db, const struct run_filter *filter, struct run_list *ret_list,
                   struct error *err)
{
    AUTO(run_list_free) struct run_list list = {0};

    if (!(has_conditions(filter) ? run_list_query_once(db, filter, &list, err)
                                 : run_list_query_newest(db, filter->limit, &list, err)))
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
