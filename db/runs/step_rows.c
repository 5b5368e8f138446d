#include "db/runs/step_rows.h"

#include "common/cleanup.h"
#include "db/runs/traces.h"
#include "db/stmt.h"

#include <assert.h>

static void bind_split(struct stmt *insert, const struct step_split *split)
{
    const long long parts[] = {split->input, split->forward, split->backward, split->update,
                               split->communication};
    bool known = step_split_is_known(split);

    for (size_t i = 0; i < COUNT(parts); i++)
        if (known)
            stmt_integer(insert, parts[i]);
        else
            stmt_text(insert, NULL);
}

bool step_rows_put(struct db *db, long long number, long long position, const struct step *steps,
                   size_t count, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *insert = stmt_prepare(db,
                                       "INSERT INTO steps (run, position, nanoseconds, loss,"
                                       " input_ns, forward_ns, backward_ns, update_ns,"
                                       " communication_ns)"
                                       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                       err);

    assert(number > 0 && position >= 0);
    for (size_t i = 0; insert && i < count; i++) {
        stmt_integer(insert, number);
        stmt_integer(insert, position + (long long)i);
        stmt_integer(insert, steps[i].nanoseconds);
        stmt_real(insert, steps[i].loss);
        bind_split(insert, &steps[i].split);
        if (!stmt_run(insert, err))
            return false;
    }
    return insert != NULL;
}

static bool add_to_count(struct db *db, long long number, size_t count, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *update =
        stmt_prepare(db, "UPDATE runs SET steps = steps + ? WHERE number = ?", err);

    stmt_integer(update, (long long)count);
    stmt_integer(update, number);
    return stmt_run(update, err);
}

bool step_rows_append(struct db *db, long long number, long long position,
                      const struct step *steps, size_t count, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    if (count == 0)
        return true;
    return transaction_begin(&change, db, DB_RELAXED, err) &&
           step_rows_put(db, number, position, steps, count, err) &&
           add_to_count(db, number, count, err) && transaction_commit(&change, err);
}

static struct step step_from_row(struct stmt *row)
{
    return (struct step){.nanoseconds = stmt_column_integer(row, 0),
                         .loss = stmt_column_real(row, 1),
                         .split = {.input = stmt_column_integer(row, 2),
                                   .forward = stmt_column_integer(row, 3),
                                   .backward = stmt_column_integer(row, 4),
                                   .update = stmt_column_integer(row, 5),
                                   .communication = stmt_column_integer(row, 6)}};
}

/* `ret_positions` may be NULL. */
static bool load_rows(struct db *db, long long number, const struct step_range *range,
                      struct steps *steps, long long *ret_positions, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     "SELECT nanoseconds, loss, input_ns, forward_ns, backward_ns, update_ns,"
                     " communication_ns, position FROM steps WHERE run = ? AND position >= ? "
                     "ORDER BY position LIMIT ?",
                     err);
    enum stmt_step step;

    stmt_integer(query, number);
    stmt_integer(query, range->position);
    stmt_integer(query, range->limit);
    while ((step = stmt_step(query, err)) == STMT_ROW) {
        if (ret_positions)
            ret_positions[steps->count] = stmt_column_integer(query, 7);
        steps_add(steps, step_from_row(query));
    }
    return step == STMT_DONE;
}

static bool load_trace(struct db *db, long long number, long long position, long long limit,
                       struct steps *steps, struct error *err)
{
    AUTO(steps_free) struct steps all = {0};

    if (!traces_steps(db, number, &all, err))
        return false;
    for (long long i = 0; i < limit && position + i < (long long)all.count; i++)
        steps_add(steps, all.items[position + i]);
    return true;
}

bool step_rows_load(struct db *db, long long number, long long position, long long limit,
                    struct steps *steps, struct error *err)
{
    const struct step_range range = {position, limit};
    size_t before = steps->count;

    if (!load_rows(db, number, &range, steps, NULL, err))
        return false;
    return steps->count > before || load_trace(db, number, position, limit, steps, err);
}

bool step_rows_load_placed(struct db *db, long long number, const struct step_range *range,
                           struct steps *steps, long long ret_positions[], struct error *err)
{
    if (!load_rows(db, number, range, steps, ret_positions, err))
        return false;
    if (steps->count > 0)
        return true;
    if (!load_trace(db, number, range->position, range->limit, steps, err))
        return false;
    for (size_t i = 0; i < steps->count; i++)
        ret_positions[i] = range->position + (long long)i;
    return true;
}
