/* Tested by tests/db/prices/offers_spot_test.c and tests/db/prices/offer_store_test.c. */
#include "db/prices/price_at.h"
#include "common/cleanup.h"
#include "common/text.h"
#include "db/stmt.h"

#include <assert.h>

static void read_price(struct stmt *row, struct price_at *at)
{
    at->since_us = stmt_column_integer(row, 0);
    at->price.nanos = stmt_column_integer(row, 1);
    at->price.source_us = stmt_column_integer(row, 2);
    at->price.fetched_us = stmt_column_integer(row, 3);
    at->price.upfront_nanos = stmt_column_integer(row, 5);
    TEXT_COPY(at->price.text, stmt_column_text(row, 4));
}

/* Begins the spread, with what holds at the moment. */
static void spread_begin(struct price_at *at, const struct price_moment *moment)
{
    assert(moment->window_us >= 0 && at->since_us <= moment->at_us);
    if (moment->window_us > 0 && at->price.nanos > 0)
        at->low = at->high = (double)at->price.nanos / 1e9;
}

/* Adds a price that held until *end_us, from which on the spread goes back further. False: it
 * goes back no further. */
static bool spread_add(struct price_at *at, const struct price_moment *moment, long long since_us,
                       long long nanos, long long *end_us)
{
    const long long start_us = moment->at_us - moment->window_us;
    const long long from_us = since_us > start_us ? since_us : start_us;
    const double dollars = (double)nanos / 1e9;

    if (at->low > 0 && nanos > 0 && from_us < *end_us) {
        at->low = dollars < at->low ? dollars : at->low;
        at->high = dollars > at->high ? dollars : at->high;
    }
    *end_us = from_us;
    return since_us > start_us;
}

bool price_at(struct db *db, const struct price_moment *moment, struct price_at *ret_at,
              struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db,
        "SELECT since_us, nanos, source_us, fetched_us, text, upfront_nanos FROM prices"
        " WHERE series = ?1 AND since_us <= ?2 AND withdrawn_us > ?2"
        " ORDER BY since_us DESC, withdrawn_us DESC LIMIT ?3",
        err);
    struct price_at at = {.series = moment->series};
    long long end_us = moment->at_us;
    bool first = true, more = true;
    enum stmt_step step = STMT_DONE;

    stmt_integer(query, moment->series);
    stmt_integer(query, moment->at_us);
    stmt_integer(query, moment->window_us > 0 ? -1 : 1);
    while (more && (step = stmt_step(query, err)) == STMT_ROW) {
        if (first) {
            read_price(query, &at);
            spread_begin(&at, moment);
        }
        first = false;
        more = spread_add(&at, moment, stmt_column_integer(query, 0),
                          stmt_column_integer(query, 1), &end_us);
    }
    if (step == STMT_FAILED)
        return false;
    *ret_at = at;
    return true;
}

void course_at(const struct course *course, const struct price_moment *moment,
               struct price_at *ret_at)
{
    const struct course_entry *entry = course->entries, *end = entry + course->count;
    struct price_at at = {.series = moment->series};
    long long end_us = moment->at_us;

    assert(entry && course->from_us <= moment->at_us - moment->window_us &&
           moment->at_us < course->to_us);
    while (entry < end && entry->since_us > moment->at_us)
        entry++;
    if (entry < end) {
        at.since_us = entry->since_us;
        at.price.nanos = entry->nanos;
        TEXT_COPY(at.price.text, entry->text);
        spread_begin(&at, moment);
    }
    while (entry < end && spread_add(&at, moment, entry->since_us, entry->nanos, &end_us))
        entry++;
    *ret_at = at;
}
