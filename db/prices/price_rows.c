#include "db/prices/price_rows.h"

#include "common/cleanup.h"
#include "db/prices/withdrawal_row.h"

#include <assert.h>

bool price_row_add(struct stmt *add, long long series, long long since_us, long long now_us,
                   const struct price *price, struct error *err)
{
    assert(series > 0 && (!price || price->nanos > 0));
    stmt_integer(add, series);
    stmt_integer(add, since_us);
    if (price)
        stmt_integer(add, price->nanos);
    else
        stmt_text(add, NULL);
    stmt_text(add, price ? price->text : "");
    stmt_text(add, price ? price->reference : "");
    stmt_integer(add, price && price->source_us > 0 ? price->source_us : 0);
    stmt_integer(add, now_us);
    stmt_integer(add, price ? price->upfront_nanos : 0);
    return stmt_run(add, err);
}

bool price_series_insert(struct stmt *insert, const char *scope, const struct price *price,
                         long long since_us, long long *ret_number, struct error *err)
{
    assert(price->nanos > 0);
    stmt_text(insert, price->feed);
    stmt_text(insert, scope);
    stmt_text(insert, price->provider);
    stmt_text(insert, price->region);
    stmt_text(insert, price->zone);
    stmt_text(insert, price->instance_type);
    stmt_text(insert, price_kind_name(price->kind));
    stmt_text(insert, price->currency);
    stmt_integer(insert, price->nanos);
    stmt_integer(insert, since_us);
    stmt_integer(insert, price->upfront_nanos);
    if (stmt_step(insert, err) != STMT_ROW)
        return false;
    *ret_number = stmt_column_integer(insert, 0);
    return stmt_run(insert, err);
}

/* A series must not be accepted about a moment before the last withdrawal: then another price
 * held, which db/prices/price_at.c finds. */
bool price_series_settle(struct db *db, long long series, struct error *err)
{
    return stmt_run_number(
        db,
        "UPDATE price_series SET nanos = (SELECT nanos FROM prices WHERE series = ?1"
        " AND withdrawn_us = " NEVER_WITHDRAWN " ORDER BY since_us DESC LIMIT 1),"
        " since_us = (SELECT max(ifnull(max(since_us) FILTER (WHERE withdrawn_us ="
        " " NEVER_WITHDRAWN "), 0), ifnull(max(withdrawn_us) FILTER (WHERE withdrawn_us < "
        " " NEVER_WITHDRAWN "), 0)) FROM prices WHERE series = ?1) WHERE number = ?1",
        series, err);
}
