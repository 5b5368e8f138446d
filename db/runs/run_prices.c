/* Tested by tests/api/test_price_this_machine.py. */
#include "db/runs/run_prices.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "db/contenders/contenders.h"
#include "db/runs/run_row.h"

#include <assert.h>

#define NEXT                                                                                     \
    "SELECT " RUN_COLUMNS " FROM runs WHERE number > ?1 AND provenance = 'measured'"             \
    " AND ended_us IS NOT NULL AND price IS NOT NULL"                                            \
    " AND (paid_per_hour IS NULL OR paid_feed = '" TYPED_LATER_FEED "')"                         \
    " AND CASE WHEN ?2 <> '' THEN vm = ?2 ELSE ifnull(vm, '') = '' AND machine IN"               \
    " (SELECT m.number FROM machines AS m WHERE m.stratum = ?3) END ORDER BY number LIMIT 1"

/* The next run after a number; *ret_found is false if there is none. */
static bool run_without_price_next(struct db *db, const struct run_prices_of *of, long long after,
                                   struct run *ret_run, bool *ret_found, struct error *err)
{
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, NEXT, err);
    enum stmt_step step;

    stmt_integer(query, after);
    stmt_text(query, of->vm);
    stmt_text(query, of->stratum);
    step = stmt_step(query, err);
    *ret_found = step == STMT_ROW;
    return step == STMT_ROW ? run_from_row(query, ret_run, err) : step == STMT_DONE;
}

static bool run_price_store(struct db *db, const struct run *run, struct error *err)
{
    const struct paid_price *paid = &run->paid;
    AUTO(stmt_done)
    struct stmt *update = stmt_prepare(
        db,
        "UPDATE runs SET price = ?, paid_per_hour = nullif(?, 0.0), paid_nanos = nullif(?, 0),"
        " paid_currency = ?, paid_kind = ?, paid_feed = ?, paid_fetched_us = nullif(?, 0)"
        " WHERE number = ?",
        err);

    stmt_text(update, run->price);
    stmt_real(update, paid->per_hour);
    stmt_integer(update, paid->nanos);
    stmt_text(update, text_or_null(paid->currency));
    stmt_text(update, text_or_null(paid->kind));
    stmt_text(update, text_or_null(paid->feed));
    stmt_integer(update, paid->fetched_us);
    stmt_integer(update, run->number);
    return stmt_run(update, err);
}

bool run_prices_renew(struct db *db, const struct run_prices_of *of, run_prices_renew_fn *renew,
                      void *user, long long *ret_count, struct error *err)
{
    long long count = 0, last = 0;

    for (;; count++) {
        AUTO(run_clear) struct run run = {0};
        bool found;

        if (!run_without_price_next(db, of, last, &run, &found, err))
            return false;
        if (!found)
            break;
        assert(run.number > last);
        last = run.number;
        renew(user, &run);
        if (!run_price_store(db, &run, err) || !contenders_changed_by_run(db, last, err))
            return false;
    }
    *ret_count = count;
    return true;
}
