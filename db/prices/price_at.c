/* Tested by tests/db/prices/offers_spot_test.c and tests/db/prices/offer_store_test.c. */
#include "db/prices/price_at.h"
#include "common/cleanup.h"
#include "common/text.h"
#include "db/stmt.h"

#include <assert.h>

/* Dollars that held so many microseconds, summed up. */
struct spread {
    double low, high, weighted, weight;
};

static void spread_add(struct spread *spread, long long nanos, long long held_us)
{
    double dollars = (double)nanos / 1e9;

    if (nanos <= 0 || held_us <= 0)
        return;
    if (spread->weight <= 0 || dollars < spread->low)
        spread->low = dollars;
    if (spread->weight <= 0 || dollars > spread->high)
        spread->high = dollars;
    spread->weighted += dollars * (double)held_us;
    spread->weight += (double)held_us;
}

static void spread_end(const struct spread *spread, struct price_at *at)
{
    double dollars = (double)at->price.nanos / 1e9;

    at->low = at->high = at->mean = dollars; /* what began this very moment */
    if (spread->weight <= 0)
        return;
    at->low = dollars < spread->low ? dollars : spread->low;
    at->high = dollars > spread->high ? dollars : spread->high;
    at->mean = spread->weighted / spread->weight;
    /* Sums are rounded: the mean of what never moved is that price. */
    if (at->mean < at->low)
        at->mean = at->low;
    if (at->mean > at->high)
        at->mean = at->high;
    assert(at->low > 0 && at->low <= at->mean && at->mean <= at->high);
}

static void read_price(struct stmt *row, struct price_at *at)
{
    at->since_us = stmt_column_integer(row, 0);
    at->price.nanos = stmt_column_integer(row, 1);
    at->price.source_us = stmt_column_integer(row, 2);
    at->price.fetched_us = stmt_column_integer(row, 3);
    at->price.upfront_nanos = stmt_column_integer(row, 5);
    TEXT_COPY(at->price.text, stmt_column_text(row, 4));
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
    const long long start_us = moment->at_us - moment->window_us;
    long long end_us = moment->at_us;
    bool first = true, enough = false;
    struct spread spread = {0};
    struct price_at at = {.series = moment->series};
    enum stmt_step step = STMT_DONE;

    assert(moment->window_us >= 0);
    if (!query)
        return false;
    stmt_integer(query, moment->series);
    stmt_integer(query, moment->at_us);
    stmt_integer(query, moment->window_us > 0 ? -1 : 1);
    while (!enough && (step = stmt_step(query, err)) == STMT_ROW) {
        long long since_us = stmt_column_integer(query, 0);
        long long from_us = since_us > start_us ? since_us : start_us;

        if (first)
            read_price(query, &at);
        first = false;
        spread_add(&spread, stmt_column_integer(query, 1), end_us - from_us);
        end_us = from_us;
        enough = since_us <= start_us;
    }
    if (step == STMT_FAILED)
        return false;
    if (at.price.nanos > 0 && moment->window_us > 0)
        spread_end(&spread, &at);
    *ret_at = at;
    return true;
}

void course_at(const struct course *course, const struct price_moment *moment,
               struct price_at *ret_at)
{
    const long long start_us = moment->at_us - moment->window_us;
    long long end_us = moment->at_us;
    struct spread spread = {0};
    struct price_at at = {.series = moment->series};
    size_t i = 0;

    assert(course->entries && course->from_us <= start_us && moment->at_us < course->to_us);
    while (i < course->count && course->entries[i].since_us > moment->at_us)
        i++;
    if (i < course->count) {
        at.since_us = course->entries[i].since_us;
        at.price.nanos = course->entries[i].nanos;
        TEXT_COPY(at.price.text, course->entries[i].text);
    }
    for (; at.price.nanos > 0 && moment->window_us > 0 && i < course->count && end_us > start_us;
         i++) {
        long long since_us = course->entries[i].since_us;
        long long from_us = since_us > start_us ? since_us : start_us;

        spread_add(&spread, course->entries[i].nanos, end_us - from_us);
        end_us = from_us;
    }
    if (at.price.nanos > 0 && moment->window_us > 0)
        spread_end(&spread, &at);
    *ret_at = at;
}
