#include "db/runs/deliveries.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "db/db.h"

bool deliveries_each(struct db *db, const char *hub, long long after,
                     const struct export_reader *reader, struct error *err)
{
    const struct run_filter filter = {.provenance = provenance_names[PROVENANCE_MEASURED],
                                      .unreported_to = hub,
                                      .whole = true,
                                      .after = after,
                                      .limit = -1};
    long long last;

    return exports_each(db, &filter, reader, &last, err);
}

bool deliveries_record(struct db *db, const char *hub, const struct delivery *list, size_t count,
                       long long now_us, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    AUTO(stmt_done) struct stmt *insert = NULL;

    if (count == 0)
        return true;
    if (!transaction_begin(&change, db, DB_DURABLE, err))
        return false;
    /* Two may report at once; a hub that has a run does not lose it by refusing it again. */
    insert = stmt_prepare(db,
                          "INSERT INTO deliveries (hub, run, verdict, reason, at_us)"
                          " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                          " verdict = excluded.verdict, reason = excluded.reason,"
                          " at_us = excluded.at_us WHERE verdict <> 'accepted'",
                          err);
    for (size_t i = 0; insert && i < count; i++) {
        bool accepted = list[i].verdict == DELIVERY_ACCEPTED;

        stmt_text(insert, hub);
        stmt_integer(insert, list[i].run);
        stmt_text(insert, accepted ? "accepted" : "refused");
        stmt_text(insert, accepted ? "" : list[i].reason);
        stmt_integer(insert, now_us);
        if (!stmt_run(insert, err))
            return false;
    }
    return insert && transaction_commit(&change, err);
}

bool deliveries_forget_refusals(struct db *db, const char *hub, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    return transaction_begin(&change, db, DB_DURABLE, err) &&
           stmt_run_text(db, "DELETE FROM deliveries WHERE hub = ? AND verdict = 'refused'", hub,
                         err) &&
           transaction_commit(&change, err);
}

bool deliveries_find(struct db *db, const char *hub, long long run, struct delivery *ret_delivery,
                     struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db, "SELECT verdict = 'accepted', reason FROM deliveries WHERE hub = ? AND run = ?", err);
    struct delivery delivery = {.run = run};
    enum stmt_step step;

    stmt_text(query, hub);
    stmt_integer(query, run);
    step = stmt_step(query, err);
    if (step == STMT_ROW) {
        delivery.verdict = stmt_column_integer(query, 0) ? DELIVERY_ACCEPTED : DELIVERY_REFUSED;
        TEXT_COPY(delivery.reason, stmt_column_text(query, 1));
    }
    if (step != STMT_FAILED)
        *ret_delivery = delivery;
    return step != STMT_FAILED;
}

bool deliveries_count(struct db *db, const char *hub, struct delivery_counts *ret_counts,
                      struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     "SELECT ifnull(sum(verdict IS NULL AND thinned_us IS NULL), 0),"
                     " ifnull(sum(verdict = 'accepted'), 0), ifnull(sum(verdict = 'refused'), 0),"
                     " ifnull(sum(verdict IS NULL AND thinned_us IS NOT NULL), 0) FROM runs"
                     " LEFT JOIN deliveries ON deliveries.run = number AND hub = ?"
                     " WHERE state = 'finished' AND provenance = 'measured'",
                     err);

    stmt_text(query, hub);
    if (stmt_step(query, err) != STMT_ROW)
        return false;
    *ret_counts = (struct delivery_counts){.waiting = stmt_column_integer(query, 0),
                                           .accepted = stmt_column_integer(query, 1),
                                           .refused = stmt_column_integer(query, 2),
                                           .thinned = stmt_column_integer(query, 3)};
    return true;
}
