#include "db/runs/run_values.h"

#include "common/cleanup.h"
#include "db/stmt.h"

/* The nearest value on either side, by kind: at least the one that is asked for, and below it. */
#define COLUMN(name)                                                                             \
    {                                                                                            \
        "SELECT min(" name ") FROM runs WHERE " name " > ?",                                     \
            "SELECT max(" name ") FROM runs WHERE " name " < ?",                                 \
            "SELECT 1 FROM runs WHERE " name " = ? LIMIT 1"                                      \
    }
static const struct {
    const char *above, *below, *equal;
} statements[] = {
    [RUN_WORKLOAD] = COLUMN("workload"),
    [RUN_ENGINE] = COLUMN("engine"),
    [RUN_INSTANCE] = COLUMN("instance"),
    [RUN_LABEL_KEY] = {"SELECT min(key) FROM run_labels WHERE key > ?",
                       "SELECT max(key) FROM run_labels WHERE key < ?",
                       "SELECT 1 FROM run_labels WHERE key = ? LIMIT 1"},
    [RUN_LABEL_VALUE] = {"SELECT min(value) FROM run_labels WHERE key = ? AND value > ?",
                         "SELECT max(value) FROM run_labels WHERE key = ? AND value < ?",
                         "SELECT 1 FROM run_labels WHERE key = ? AND value = ? LIMIT 1"},
};
#undef COLUMN

static void bind(struct stmt *query, const struct run_value_question *question, const char *value)
{
    if (question->key)
        stmt_text(query, question->key);
    stmt_text(query, value);
}

static bool is_there(struct db *db, const struct run_value_question *question, bool *ret_found,
                     struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db, statements[question->kind].equal, err);
    enum stmt_step step;

    if (!query)
        return false;
    bind(query, question, question->value);
    step = stmt_step(query, err);
    *ret_found = step == STMT_ROW;
    return step != STMT_FAILED;
}

/* The value next to `from`; "" where there is none. */
static bool step_on(struct db *db, const char *sql, const struct run_value_question *question,
                    const char *from, char ret_value[LABEL_VALUE_MAX + 1], struct error *err)
{
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, sql, err);

    if (!query)
        return false;
    bind(query, question, from);
    if (stmt_step(query, err) != STMT_ROW)
        return false;
    snprintf(ret_value, LABEL_VALUE_MAX + 1, "%s", stmt_column_text(query, 0));
    return stmt_step(query, err) == STMT_DONE; /* not where a text found no memory */
}

/* Adds up to `most` values on one side, the nearest first. */
static bool add_side(struct db *db, const char *sql, const struct run_value_question *question,
                     size_t most, struct run_values *values, struct error *err)
{
    const char *from = question->value;

    for (size_t i = 0; i < most; i++) {
        char *place = values->list[values->count];

        if (!step_on(db, sql, question, from, place, err))
            return false;
        if (!*place)
            return true;
        from = place;
        values->count++;
    }
    return true;
}

static int by_text(const void *left, const void *right)
{
    return strcmp(left, right);
}

bool run_values_look(struct db *db, const struct run_value_question *question, bool *ret_found,
                     struct run_values *ret_values, struct error *err)
{
    struct run_values *values = ret_values;

    values->count = 0;
    if (!is_there(db, question, ret_found, err) || *ret_found)
        return *ret_found;
    if (!add_side(db, statements[question->kind].below, question, RUN_VALUES_MAX / 2, values,
                  err) ||
        !add_side(db, statements[question->kind].above, question, RUN_VALUES_MAX / 2, values,
                  err))
        return false;
    qsort(values->list, values->count, sizeof *values->list, by_text);
    return true;
}
