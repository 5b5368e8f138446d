#include "db/prices/withdrawals.h"

#include "common/cleanup.h"
#include "db/contenders/contenders.h"
#include "db/prices/price_rows.h"
#include "db/prices/withdrawal_row.h"
#include "db/stmt.h"

#include <assert.h>
#include <limits.h>

static bool mark_price(struct db *db, const struct price_key *key,
                       const struct taken_back *withdrawn, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *update =
        stmt_prepare(db,
                     "UPDATE prices SET withdrawn_us = ?, withdrawn_by = ?, withdrawn_reason = ?"
                     " WHERE series = ? AND since_us = ? AND withdrawn_us = " NEVER_WITHDRAWN,
                     err);

    assert(withdrawn->at_us > 0 && withdrawn->at_us < LLONG_MAX);
    stmt_integer(update, withdrawn->at_us);
    stmt_text(update, withdrawn->by);
    stmt_text(update, withdrawn->reason);
    stmt_integer(update, key->series);
    stmt_integer(update, key->since_us);
    return stmt_run(update, err);
}

/* A person may withdraw only typed prices. */
static bool is_typed(const struct price *price, struct error *err)
{
    if (strcmp(price->feed, "typed") == 0)
        return true;
    if (strcmp(price->feed, PUBLISHED_FEED) == 0)
        return error_set(
            err, ERROR_CONFLICT, NULL,
            "the price was published with a figure, and is the price of no other row");
    return error_set(
        err, ERROR_CONFLICT, NULL,
        "the feed %s would report the price again: type a price, which takes precedence, "
        "or switch the feed off",
        price->feed);
}

bool prices_withdraw(struct db *db, const struct price_key *key,
                     const struct taken_back *withdrawn, struct listed_price *ret_listed,
                     struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    if (!transaction_begin(&change, db, DB_DURABLE, err) ||
        !price_find(db, key, ret_listed, err) || !is_typed(&ret_listed->at.price, err))
        return false;
    return ret_listed->withdrawn.at_us > 0 ||
           (revision_touch(db, err) && mark_price(db, key, withdrawn, err) &&
            price_series_settle(db, key->series, err) && price_find(db, key, ret_listed, err) &&
            transaction_commit(&change, err));
}

static bool mark_discount(struct db *db, long long number, const struct taken_back *withdrawn,
                          struct error *err)
{
    AUTO(stmt_done)
    struct stmt *update = stmt_prepare(
        db,
        "UPDATE discounts SET withdrawn_us = ?, withdrawn_by = ?, withdrawn_reason = ?"
        " WHERE number = ?",
        err);

    assert(withdrawn->at_us > 0 && withdrawn->at_us < LLONG_MAX);
    stmt_integer(update, withdrawn->at_us);
    stmt_text(update, withdrawn->by);
    stmt_text(update, withdrawn->reason);
    stmt_integer(update, number);
    return stmt_run(update, err);
}

bool discounts_withdraw(struct db *db, long long number, const struct taken_back *withdrawn,
                        struct discount *ret_discount, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    if (!transaction_begin(&change, db, DB_DURABLE, err) ||
        !discounts_find(db, number, ret_discount, err))
        return false;
    return ret_discount->withdrawn.at_us > 0 ||
           (revision_touch(db, err) && mark_discount(db, number, withdrawn, err) &&
            discounts_find(db, number, ret_discount, err) && transaction_commit(&change, err));
}
