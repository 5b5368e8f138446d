#include "db/prices/feed_rows.h"

#include "common/cleanup.h"
#include "db/contenders/contenders.h"
#include "db/stmt.h"

#define COLUMNS                                                                                  \
    "feed, scope, address, state, reason, checked_us, confirmed_us, changed_us, source_us,"      \
    " etag, last_modified, mark, status, bytes, prices, failures, tally"

static const char *const states[] = {"ok", "unchanged", "failed"};

static const char *static_state(const char *stored)
{
    for (size_t i = 0; i < COUNT(states); i++)
        if (strcmp(states[i], stored) == 0)
            return states[i];
    return states[2];
}

static void copy(char *to, size_t size, struct stmt *row, int column)
{
    snprintf(to, size, "%s", stmt_column_text(row, column));
}

static void row_from(struct stmt *query, struct feed_row *ret_row)
{
    struct feed_row row = {.state = static_state(stmt_column_text(query, 3)),
                           .checked_us = stmt_column_integer(query, 5),
                           .confirmed_us = stmt_column_integer(query, 6),
                           .changed_us = stmt_column_integer(query, 7),
                           .source_us = stmt_column_integer(query, 8),
                           .status = (int)stmt_column_integer(query, 12),
                           .bytes = stmt_column_integer(query, 13),
                           .prices = stmt_column_integer(query, 14),
                           .failures = stmt_column_integer(query, 15)};

    copy(row.feed, sizeof row.feed, query, 0);
    copy(row.scope, sizeof row.scope, query, 1);
    copy(row.address, sizeof row.address, query, 2);
    copy(row.reason, sizeof row.reason, query, 4);
    copy(row.etag, sizeof row.etag, query, 9);
    copy(row.last_modified, sizeof row.last_modified, query, 10);
    copy(row.mark, sizeof row.mark, query, 11);
    if (sscanf(stmt_column_text(query, 16), "%lld %lld %lld %lld", &row.tally.seen,
               &row.tally.unpriced, &row.tally.malformed, &row.tally.ambiguous) != 4)
        row.tally = (struct price_batch_tally){0};
    *ret_row = row;
}

bool feed_rows_find(struct db *db, const char *feed, const char *scope, struct feed_row *ret_row,
                    struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db, "SELECT " COLUMNS " FROM feed_states WHERE feed = ? AND scope = ?", err);
    enum stmt_step step;

    if (!query)
        return false;
    stmt_text(query, feed);
    stmt_text(query, scope);
    step = stmt_step(query, err);
    if (step == STMT_FAILED)
        return false;
    if (step == STMT_ROW) {
        row_from(query, ret_row);
        return true;
    }
    *ret_row = (struct feed_row){.state = states[2]};
    snprintf(ret_row->feed, sizeof ret_row->feed, "%s", feed);
    snprintf(ret_row->scope, sizeof ret_row->scope, "%s", scope);
    return true;
}

static bool put_state(struct db *db, const struct feed_row *row, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *insert = stmt_prepare(db,
                                       "INSERT OR REPLACE INTO feed_states (" COLUMNS ") VALUES"
                                       " (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                       err);
    char tally[100];

    if (!insert)
        return false;
    snprintf(tally, sizeof tally, "%lld %lld %lld %lld", row->tally.seen, row->tally.unpriced,
             row->tally.malformed, row->tally.ambiguous);
    stmt_text(insert, row->feed);
    stmt_text(insert, row->scope);
    stmt_text(insert, row->address);
    stmt_text(insert, row->state);
    stmt_text(insert, row->reason);
    stmt_integer(insert, row->checked_us);
    stmt_integer(insert, row->confirmed_us);
    stmt_integer(insert, row->changed_us);
    stmt_integer(insert, row->source_us);
    stmt_text(insert, row->etag);
    stmt_text(insert, row->last_modified);
    stmt_text(insert, row->mark);
    stmt_integer(insert, row->status);
    stmt_integer(insert, row->bytes);
    stmt_integer(insert, row->prices);
    stmt_integer(insert, row->failures);
    stmt_text(insert, tally);
    return stmt_run(insert, err);
}

/* Says that what was believed before still holds. */
static bool put_reading(struct db *db, const struct feed_row *row, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *insert = stmt_prepare(db,
                                       "INSERT OR REPLACE INTO readings (feed, scope, fetched_us,"
                                       " source_us, prices) VALUES (?, ?, ?, ?, ?)",
                                       err);

    if (!insert)
        return false;
    stmt_text(insert, row->feed);
    stmt_text(insert, row->scope);
    stmt_integer(insert, row->confirmed_us);
    stmt_integer(insert, row->source_us);
    stmt_integer(insert, row->prices);
    return stmt_run(insert, err) && revision_touch(db, err);
}

bool feed_rows_put_reading(struct db *db, const struct feed_row *row, struct error *err)
{
    return put_state(db, row, err) && put_reading(db, row, err);
}

bool feed_rows_store(struct db *db, const struct feed_row *row, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    return transaction_begin(&change, db, DB_RELAXED, err) && put_state(db, row, err) &&
           (strcmp(row->state, "failed") == 0 || put_reading(db, row, err)) &&
           transaction_commit(&change, err);
}

bool feed_rows_each(struct db *db, const char *feed,
                    void (*tell)(void *user, const struct feed_row *row), void *user,
                    struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     "SELECT " COLUMNS " FROM feed_states WHERE ?1 IS NULL OR feed = ?1"
                     " ORDER BY feed, scope LIMIT 2000",
                     err);
    enum stmt_step step;

    if (!query)
        return false;
    stmt_text(query, feed);
    while ((step = stmt_step(query, err)) == STMT_ROW) {
        struct feed_row row;

        row_from(query, &row);
        tell(user, &row);
    }
    return step == STMT_DONE;
}

bool feed_rows_forget(struct db *db, const char *feed, const char *scope, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *forget =
        stmt_prepare(db, "DELETE FROM feed_states WHERE feed = ? AND scope = ?", err);

    if (!forget)
        return false;
    stmt_text(forget, feed);
    stmt_text(forget, scope);
    return stmt_run(forget, err);
}
