#include "db/prices/price_put.h"

#include "common/cleanup.h"
#include "db/contenders/contenders.h"
#include "db/prices/price_rows.h"
#include "db/prices/withdrawal_row.h"

#include <assert.h>

/* What is stored of the series of a typed price; number 0 where nothing is. */
struct typed {
    long long number, nanos, since_us;
    bool is_there; /* a price of that very moment */
};

/* The series of a typed price, and what is known of it. */
static bool find_series(struct db *db, const struct price *price, struct typed *ret_known,
                        struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db,
        "SELECT number, nanos, since_us, (SELECT count(*) FROM prices WHERE series = number AND"
        " since_us = ? AND withdrawn_us = " NEVER_WITHDRAWN
        ") FROM price_series WHERE feed = ? AND scope = '' AND instance_type = ?"
        " AND region = ? AND zone = ? AND kind = ? AND provider = ? AND currency = ?",
        err);
    enum stmt_step step;

    stmt_integer(query, price->source_us);
    stmt_text(query, price->feed);
    stmt_text(query, price->instance_type);
    stmt_text(query, price->region);
    stmt_text(query, price->zone);
    stmt_text(query, price_kind_name(price->kind));
    stmt_text(query, price->provider);
    stmt_text(query, price->currency);
    step = stmt_step(query, err);
    *ret_known = (struct typed){0};
    if (step != STMT_ROW)
        return step == STMT_DONE;
    *ret_known = (struct typed){.number = stmt_column_integer(query, 0),
                                .nanos = stmt_column_integer(query, 1),
                                .since_us = stmt_column_integer(query, 2),
                                .is_there = stmt_column_integer(query, 3) > 0};
    return true;
}

bool prices_series(struct db *db, const struct price *price, long long *ret_series,
                   struct error *err)
{
    struct typed known;

    if (!find_series(db, price, &known, err))
        return false;
    *ret_series = known.number;
    return true;
}

static bool put_into(struct db *db, const struct price *price, const struct typed *known,
                     struct error *err)
{
    AUTO(stmt_done) struct stmt *series = NULL, *add = stmt_prepare(db, ADD_PRICE, err);
    long long number = known->number;

    assert(price->nanos >= 0 && !known->is_there);
    if (!add)
        return false;
    if (number == 0) {
        if (price->nanos == 0)
            return error_set(err, ERROR_NOT_FOUND, NULL, "there is no such price to withdraw");
        series = stmt_prepare(db, ADD_SERIES, err);
        if (!series || !price_series_insert(series, "", price, price->source_us, &number, err))
            return false;
    }
    return price_row_add(add, number, price->source_us, price->fetched_us,
                         price->nanos > 0 ? price : NULL, err) &&
           price_series_settle(db, number, err);
}

bool prices_put_within(struct db *db, const struct price *prices, size_t count, struct error *err)
{
    if (!revision_touch(db, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct typed known;

        if (!find_series(db, &prices[i], &known, err))
            return false;
        if (known.is_there)
            return error_set(err, ERROR_CONFLICT, "valid_from",
                             "another price starts at the same moment: withdraw it first");
        if (!put_into(db, &prices[i], &known, err))
            return false;
    }
    return true;
}

bool prices_put(struct db *db, const struct price *prices, size_t count, struct error *err)
{
    AUTO(transaction_end) struct transaction transaction = {0};

    return transaction_begin(&transaction, db, DB_DURABLE, err) &&
           prices_put_within(db, prices, count, err) && transaction_commit(&transaction, err);
}

bool prices_forget(struct db *db, const char *feed, struct error *err)
{
    return stmt_run_text(db,
                         "DELETE FROM prices WHERE series IN (SELECT number FROM price_series "
                         "WHERE feed = ?)",
                         feed, err) &&
           stmt_run_text(db, "DELETE FROM price_series WHERE feed = ?", feed, err);
}
