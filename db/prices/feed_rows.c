#include "db/prices/feed_rows.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "db/contenders/contenders.h"
#include "db/stmt.h"

#include <assert.h>

#define FEED_COLUMNS                                                                             \
    "feed, scope, address, state, reason, checked_us, confirmed_us, changed_us, source_us,"      \
    " etag, last_modified, mark, status, bytes, prices, failures, tally, held, doubt_us,"        \
    " doubt_prices"

static const char *const states[] = {"ok", "unchanged", "failed"};

static const char *static_state(const char *stored)
{
    for (size_t i = 0; i < COUNT(states); i++)
        if (strcmp(states[i], stored) == 0)
            return states[i];
    return states[2];
}

static void feed_row_from(struct stmt *query, struct feed_row *ret_row)
{
    struct feed_row row = {
        .state = static_state(stmt_column_text(query, 3)),
        .checked_us = stmt_column_integer(query, 5),
        .confirmed_us = stmt_column_integer(query, 6),
        .changed_us = stmt_column_integer(query, 7),
        .source_us = stmt_column_integer(query, 8),
        .status = (int)stmt_column_integer(query, 12),
        .bytes = stmt_column_integer(query, 13),
        .prices = stmt_column_integer(query, 14),
        .failures = stmt_column_integer(query, 15),
        .held = stmt_column_integer(query, 17),
        .doubt = {stmt_column_integer(query, 18), stmt_column_integer(query, 19)}};

    TEXT_COPY(row.feed, stmt_column_text(query, 0));
    TEXT_COPY(row.scope, stmt_column_text(query, 1));
    TEXT_COPY(row.address, stmt_column_text(query, 2));
    TEXT_COPY(row.reason, stmt_column_text(query, 4));
    TEXT_COPY(row.etag, stmt_column_text(query, 9));
    TEXT_COPY(row.last_modified, stmt_column_text(query, 10));
    TEXT_COPY(row.mark, stmt_column_text(query, 11));
    if (sscanf(stmt_column_text(query, 16), "%lld %lld %lld %lld %lld", &row.tally.seen,
               &row.tally.unpriced, &row.tally.malformed, &row.tally.ambiguous,
               &row.tally.expensive) < 5)
        row.tally = (struct price_batch_tally){0};
    *ret_row = row;
}

bool feed_rows_find(struct db *db, const char *feed, const char *scope, struct feed_row *ret_row,
                    struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db, "SELECT " FEED_COLUMNS " FROM feed_states WHERE feed = ? AND scope = ?", err);
    enum stmt_step step;

    stmt_text(query, feed);
    stmt_text(query, scope);
    step = stmt_step(query, err);
    if (step == STMT_FAILED)
        return false;
    if (step == STMT_ROW) {
        feed_row_from(query, ret_row);
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
    struct stmt *insert =
        stmt_prepare(db,
                     "INSERT OR REPLACE INTO feed_states (" FEED_COLUMNS ") VALUES"
                     " (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                     err);
    char tally[120];

    snprintf(tally, sizeof tally, "%lld %lld %lld %lld %lld", row->tally.seen,
             row->tally.unpriced, row->tally.malformed, row->tally.ambiguous,
             row->tally.expensive);
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
    stmt_integer(insert, row->held);
    stmt_integer(insert, row->doubt.until_us);
    stmt_integer(insert, row->doubt.prices);
    return stmt_run(insert, err);
}

/* Marks the accepted prices as confirmed. */
static bool put_reading(struct db *db, const struct feed_row *row, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *insert = stmt_prepare(db,
                                       "INSERT OR REPLACE INTO readings (feed, scope, fetched_us,"
                                       " source_us, prices) VALUES (?, ?, ?, ?, ?)",
                                       err);

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

/* Drops the prices held back in a scope: the accepted ones were confirmed. */
static bool forget_held(struct db *db, const struct feed_row *row, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *forget = stmt_prepare(db,
                                       "UPDATE price_series SET held_nanos = NULL, held_us = NULL"
                                       " WHERE feed = ? AND scope = ? AND held_nanos IS NOT NULL",
                                       err);

    stmt_text(forget, row->feed);
    stmt_text(forget, row->scope);
    return stmt_run(forget, err);
}

static bool put_unchanged(struct db *db, const struct feed_row *row, struct error *err)
{
    return put_reading(db, row, err) && forget_held(db, row, err);
}

bool feed_rows_doubt(struct db *db, const struct feed_row *row, struct error *err)
{
    return put_state(db, row, err) && revision_touch(db, err);
}

bool feed_rows_store(struct db *db, const struct feed_row *row, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    return transaction_begin(&change, db, DB_RELAXED, err) && put_state(db, row, err) &&
           (strcmp(row->state, "failed") == 0 || put_unchanged(db, row, err)) &&
           transaction_commit(&change, err);
}

static bool add_example(struct feed_row *row, struct stmt *query)
{
    struct waiting_price *waiting = &row->examples[row->example_count];

    assert(row->example_count < HELD_EXAMPLES);
    *waiting = (struct waiting_price){.nanos = stmt_column_integer(query, 4),
                                      .waiting_nanos = stmt_column_integer(query, 5),
                                      .since_us = stmt_column_integer(query, 6)};
    TEXT_COPY(waiting->instance_type, stmt_column_text(query, 0));
    TEXT_COPY(waiting->region, stmt_column_text(query, 1));
    TEXT_COPY(waiting->zone, stmt_column_text(query, 2));
    row->example_count++;
    return price_kind_from_name(stmt_column_text(query, 3), &waiting->kind);
}

/* The widest moves first; a removed price counts as infinite. */
static bool find_examples(struct db *db, struct feed_row *row, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     "SELECT instance_type, region, zone, kind, nanos, held_nanos, held_us"
                     " FROM price_series WHERE feed = ? AND scope = ? AND held_nanos NOT NULL"
                     " AND nanos NOT NULL ORDER BY CASE WHEN held_nanos > nanos"
                     " THEN held_nanos * 1.0 / nanos WHEN held_nanos > 0"
                     " THEN nanos * 1.0 / held_nanos ELSE 9e99 END DESC, number LIMIT ?",
                     err);
    enum stmt_step step;

    stmt_text(query, row->feed);
    stmt_text(query, row->scope);
    stmt_integer(query, HELD_EXAMPLES);
    while ((step = stmt_step(query, err)) == STMT_ROW)
        if (!add_example(row, query))
            return error_set(err, ERROR_INTERNAL, NULL, "a stored price has an unknown kind");
    return step == STMT_DONE;
}

bool feed_rows_each(struct db *db, const char *feed,
                    void (*tell)(void *user, const struct feed_row *row), void *user,
                    struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     "SELECT " FEED_COLUMNS " FROM feed_states WHERE ?1 IS NULL OR feed = ?1"
                     " ORDER BY feed, scope LIMIT 2000",
                     err);
    enum stmt_step step;

    stmt_text(query, feed);
    while ((step = stmt_step(query, err)) == STMT_ROW) {
        struct feed_row row;

        feed_row_from(query, &row);
        if (row.held > 0 && !find_examples(db, &row, err))
            return false;
        tell(user, &row);
    }
    return step == STMT_DONE;
}

bool feed_rows_forget(struct db *db, const char *feed, const char *scope, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *forget =
        stmt_prepare(db, "DELETE FROM feed_states WHERE feed = ? AND scope = ?", err);

    stmt_text(forget, feed);
    stmt_text(forget, scope);
    return stmt_run(forget, err);
}
