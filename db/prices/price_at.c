/* Tested by tests/db/prices/offers_spot_test.c and tests/db/prices/offer_store_test.c. */
#include "db/prices/price_at.h"
#include "common/cleanup.h"
#include "common/text.h"
#include "db/stmt.h"

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

static void spread_end(const struct spread *spread, struct held *held)
{
    double dollars = (double)held->nanos / 1e9;

    held->low = held->high = held->mean = dollars; /* what began this very moment */
    if (spread->weight <= 0)
        return;
    held->low = dollars < spread->low ? dollars : spread->low;
    held->high = dollars > spread->high ? dollars : spread->high;
    held->mean = spread->weighted / spread->weight;
    /* Sums are rounded: the mean of what never moved is that price. */
    if (held->mean < held->low)
        held->mean = held->low;
    if (held->mean > held->high)
        held->mean = held->high;
}

static void read_held(struct stmt *row, struct held *ret_held)
{
    *ret_held = (struct held){.since_us = stmt_column_integer(row, 0),
                              .nanos = stmt_column_integer(row, 1),
                              .source_us = stmt_column_integer(row, 2),
                              .fetched_us = stmt_column_integer(row, 3)};
    ret_held->upfront_nanos = stmt_column_integer(row, 5);
    snprintf(ret_held->text, sizeof ret_held->text, "%s", stmt_column_text(row, 4));
    ret_held->known = ret_held->nanos > 0;
}

bool price_at(struct db *db, const struct held_question *question, struct held *ret_held,
              struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db,
        "SELECT since_us, nanos, source_us, fetched_us, text, upfront_nanos FROM prices"
        " WHERE series = ?1 AND since_us <= ?2 AND withdrawn_us > ?2"
        " ORDER BY since_us DESC, withdrawn_us DESC LIMIT ?3",
        err);
    const long long start_us = question->at_us - question->window_us;
    long long end_us = question->at_us;
    bool first = true, enough = false;
    struct spread spread = {0};
    struct held held = {0};
    enum stmt_step step = STMT_DONE;

    if (!query)
        return false;
    stmt_integer(query, question->series);
    stmt_integer(query, question->at_us);
    stmt_integer(query, question->window_us > 0 ? -1 : 1);
    while (!enough && (step = stmt_step(query, err)) == STMT_ROW) {
        long long since_us = stmt_column_integer(query, 0);
        long long from_us = since_us > start_us ? since_us : start_us;

        if (first)
            read_held(query, &held);
        first = false;
        spread_add(&spread, stmt_column_integer(query, 1), end_us - from_us);
        end_us = from_us;
        enough = since_us <= start_us;
    }
    if (step == STMT_FAILED)
        return false;
    if (held.known && question->window_us > 0)
        spread_end(&spread, &held);
    *ret_held = held;
    return true;
}

void course_at(const struct course *course, const struct held_question *question,
               struct held *ret_held)
{
    const long long start_us = question->at_us - question->window_us;
    long long end_us = question->at_us;
    struct spread spread = {0};
    struct held held = {0};
    size_t i = 0;

    while (i < course->count && course->entries[i].since_us > question->at_us)
        i++;
    if (i < course->count) {
        const struct course_entry *entry = &course->entries[i];

        held = (struct held){
            .known = entry->nanos > 0, .nanos = entry->nanos, .since_us = entry->since_us};
        TEXT_COPY(held.text, entry->text);
    }
    for (; held.known && question->window_us > 0 && i < course->count && end_us > start_us; i++) {
        long long since_us = course->entries[i].since_us;
        long long from_us = since_us > start_us ? since_us : start_us;

        spread_add(&spread, course->entries[i].nanos, end_us - from_us);
        end_us = from_us;
    }
    if (held.known && question->window_us > 0)
        spread_end(&spread, &held);
    *ret_held = held;
}
