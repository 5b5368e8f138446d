#include "db/capacity/capacity_deliveries.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "db/stmt.h"

#define WAITING                                                                                  \
    " FROM capacity_events WHERE own = 1 AND NOT EXISTS (SELECT 1 FROM capacity_deliveries"      \
    " WHERE hub = ? AND event = number)"

/* The list's own word, which lives as long as the program. */
static const char *word_of(const char *const *words, const char *text)
{
    while (*words && strcmp(*words, text) != 0)
        words++;
    return *words;
}

static void event_from_row(struct stmt *row, struct capacity_event *ret_event)
{
    *ret_event = (struct capacity_event){
        .kind = word_of(capacity_kinds, stmt_column_text(row, 1)),
        .price_kind = word_of(capacity_price_kinds, stmt_column_text(row, 2)),
        .at_us = stmt_column_integer(row, 8),
        .own = true};
    TEXT_COPY(ret_event->provider, stmt_column_text(row, 3));
    TEXT_COPY(ret_event->instance_type, stmt_column_text(row, 4));
    TEXT_COPY(ret_event->zone, stmt_column_text(row, 5));
    TEXT_COPY(ret_event->machine, stmt_column_text(row, 6));
    TEXT_COPY(ret_event->note, stmt_column_text(row, 7));
}

bool capacity_deliveries_next(struct db *db, const char *hub, struct capacity_event *ret_event,
                              long long *ret_number, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     "SELECT number, kind, price_kind, provider, instance_type,"
                     " zone, machine, note, at_us" WAITING " ORDER BY number LIMIT 1",
                     err);
    enum stmt_step step;

    *ret_number = 0;
    stmt_text(query, hub);
    step = stmt_step(query, err);
    if (step == STMT_ROW) {
        *ret_number = stmt_column_integer(query, 0);
        event_from_row(query, ret_event);
    }
    return step != STMT_FAILED;
}

bool capacity_deliveries_record(struct db *db, const char *hub, long long number,
                                const char *refusal, long long now_us, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    AUTO(stmt_done) struct stmt *insert = NULL;

    if (!transaction_begin(&change, db, DB_DURABLE, err))
        return false;
    insert = stmt_prepare(db,
                          "INSERT INTO capacity_deliveries (hub, event, verdict, reason, at_us)"
                          " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                          err);
    stmt_text(insert, hub);
    stmt_integer(insert, number);
    stmt_text(insert, refusal ? "refused" : "accepted");
    stmt_text(insert, refusal ? refusal : "");
    stmt_integer(insert, now_us);
    return stmt_run(insert, err) && transaction_commit(&change, err);
}

bool capacity_deliveries_forget_refusals(struct db *db, const char *hub, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    return transaction_begin(&change, db, DB_DURABLE, err) &&
           stmt_run_text(db,
                         "DELETE FROM capacity_deliveries WHERE hub = ? AND verdict = 'refused'",
                         hub, err) &&
           transaction_commit(&change, err);
}

bool capacity_deliveries_waiting(struct db *db, const char *hub, long long *ret_count,
                                 struct error *err)
{
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, "SELECT count(*)" WAITING, err);

    stmt_text(query, hub);
    return stmt_take_number(query, ret_count, err);
}
