#include "db/prices/price_store.h"

#include "common/cleanup.h"
#include "db/contenders/contenders.h"
#include "db/prices/catalogue.h"
#include "db/stmt.h"

/* What is stored of the price at a place of the basket; number 0 where nothing is. */
struct known {
    long long number, nanos, held, since_us;
    bool is_held; /* it leapt, and waits for another reading */
};

struct replacement {
    struct db *db;
    const struct price_snapshot *snapshot;
    struct known *known; /* a place of the basket each */
    struct known *gone;  /* what the feed has no more */
    size_t gone_count, gone_room;
    long long now_us;
    struct change change;
    struct stmt *add_series, *add_price, *move_series, *hold_series;
};

static void replacement_end(struct replacement *work)
{
    freep(&work->known);
    freep(&work->gone);
    stmt_done(&work->add_series);
    stmt_done(&work->add_price);
    stmt_done(&work->move_series);
    stmt_done(&work->hold_series);
}

static bool note_gone(struct replacement *work, const struct known *known, struct error *err)
{
    if (work->gone_count == work->gone_room) {
        size_t room = work->gone_room ? work->gone_room * 2 : 64;
        struct known *more = reallocarray(work->gone, room, sizeof *more);

        if (!more)
            return error_no_memory(err);
        work->gone = more;
        work->gone_room = room;
    }
    work->gone[work->gone_count++] = *known;
    return true;
}

/* A stored series, and what the basket says of it. */
static bool compare_row(struct replacement *work, struct stmt *row, struct error *err)
{
    const struct known known = {.number = stmt_column_integer(row, 0),
                                .nanos = stmt_column_integer(row, 7),
                                .held = stmt_column_integer(row, 8),
                                .since_us = stmt_column_integer(row, 9)};
    struct price like = {0};
    const struct price *price;
    size_t place;

    snprintf(like.provider, sizeof like.provider, "%s", stmt_column_text(row, 1));
    snprintf(like.region, sizeof like.region, "%s", stmt_column_text(row, 2));
    snprintf(like.zone, sizeof like.zone, "%s", stmt_column_text(row, 3));
    snprintf(like.instance_type, sizeof like.instance_type, "%s", stmt_column_text(row, 4));
    snprintf(like.currency, sizeof like.currency, "%s", stmt_column_text(row, 6));
    if (!price_kind_from_name(stmt_column_text(row, 5), &like.kind))
        return error_set(err, ERROR_INTERNAL, NULL, "a stored price has an unknown kind");
    work->change.before += known.nanos > 0;
    price = price_batch_find(work->snapshot->batch, &like, &place);
    if (!price)
        return known.nanos == 0 || note_gone(work, &known, err);
    work->known[place] = known;
    work->change.common += known.nanos > 0;
    if (known.nanos > 0 && is_leap(known.nanos, price->nanos)) {
        work->change.leapt++;
        work->known[place].is_held = !is_confirmed(known.held, price->nanos);
    }
    return true;
}

static bool compare(struct replacement *work, struct error *err)
{
    const struct feed_row *feed = work->snapshot->row;
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        work->db,
        "SELECT number, provider, region, zone, instance_type, kind, currency, nanos, held_nanos,"
        " since_us FROM price_series WHERE feed = ? AND scope = ?",
        err);
    enum stmt_step step;

    work->known = calloc(price_batch_places(work->snapshot->batch) + 1, sizeof *work->known);
    if (!query || !work->known)
        return error_no_memory(err);
    stmt_text(query, feed->feed);
    stmt_text(query, feed->scope);
    while ((step = stmt_step(query, err)) == STMT_ROW)
        if (!compare_row(work, query, err))
            return false;
    work->change.after = price_batch_count(work->snapshot->batch);
    work->change.gone = work->gone_count;
    return step == STMT_DONE;
}

/* Since when a price holds: as its source says, but never before what is already known. */
static long long since(const struct price *price, long long last_us, long long now_us)
{
    long long since_us = price && price->source_us > 0 ? price->source_us : now_us;

    if (since_us > last_us)
        return since_us;
    return now_us > last_us ? now_us : last_us + 1;
}

/* `price` NULL: there is none from now on. */
static bool add_price(struct stmt *add, long long series, long long since_us, long long now_us,
                      const struct price *price, struct error *err)
{
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
    return stmt_run(add, err);
}

/* What was to hold from a later moment on, and is not what is said any more, never held. A row
 * that was fetched later than now is no such thing: the clock went back. */
static bool withdraw_promises(struct replacement *work, long long number, long long *ret_last_us,
                              struct error *err)
{
    AUTO(stmt_done)
    struct stmt *withdraw = stmt_prepare(
        work->db, "DELETE FROM prices WHERE series = ?1 AND since_us > ?2 AND fetched_us <= ?2",
        err);
    AUTO(stmt_done) struct stmt *last = NULL;

    if (!withdraw)
        return false;
    stmt_integer(withdraw, number);
    stmt_integer(withdraw, work->now_us);
    if (!stmt_run(withdraw, err))
        return false;
    last = stmt_prepare(work->db, "SELECT max(since_us) FROM prices WHERE series = ?", err);
    if (!last)
        return false;
    stmt_integer(last, number);
    if (stmt_step(last, err) != STMT_ROW)
        return false;
    *ret_last_us = stmt_column_integer(last, 0);
    return true;
}

static bool move_series(struct replacement *work, const struct known *known,
                        const struct price *price, struct error *err)
{
    long long since_us, last_us = known->since_us;

    if (last_us > work->now_us && !withdraw_promises(work, known->number, &last_us, err))
        return false;
    since_us = since(price, last_us, work->now_us);
    if (price)
        stmt_integer(work->move_series, price->nanos);
    else
        stmt_text(work->move_series, NULL);
    stmt_integer(work->move_series, since_us);
    stmt_integer(work->move_series, known->number);
    return stmt_run(work->move_series, err) &&
           add_price(work->add_price, known->number, since_us, work->now_us, price, err);
}

static bool insert_series(struct stmt *insert, const char *scope, const struct price *price,
                          long long since_us, long long *ret_number, struct error *err)
{
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
    if (stmt_step(insert, err) != STMT_ROW)
        return false;
    *ret_number = stmt_column_integer(insert, 0);
    return stmt_run(insert, err);
}

#define ADD_SERIES                                                                               \
    "INSERT INTO price_series (feed, scope, provider, region, zone, instance_type, kind,"        \
    " currency, nanos, since_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number"
#define ADD_PRICE                                                                                \
    "INSERT INTO prices (series, since_us, nanos, text, reference, source_us, fetched_us)"       \
    " VALUES (?, ?, ?, ?, ?, ?, ?)"

static bool write_one(struct replacement *work, const struct price *price, size_t place,
                      struct error *err)
{
    const struct known *known = &work->known[place];
    long long number;

    if (known->number == 0) {
        long long since_us = since(price, 0, work->now_us);

        work->change.added++;
        return insert_series(work->add_series, work->snapshot->row->scope, price, since_us,
                             &number, err) &&
               add_price(work->add_price, number, since_us, work->now_us, price, err);
    }
    if (known->is_held) {
        work->change.held++;
        stmt_integer(work->hold_series, price->nanos);
        stmt_integer(work->hold_series, known->number);
        return stmt_run(work->hold_series, err);
    }
    if (known->nanos == price->nanos && known->held == 0)
        return true;
    if (known->nanos == price->nanos) { /* back from a leap that no reading confirmed */
        stmt_text(work->hold_series, NULL);
        stmt_integer(work->hold_series, known->number);
        return stmt_run(work->hold_series, err);
    }
    work->change.moved++;
    return move_series(work, known, price, err);
}

static bool write_all(struct replacement *work, struct error *err)
{
    const struct price_batch *batch = work->snapshot->batch;
    const struct price *price;
    size_t position = 0;

    work->add_series = stmt_prepare(work->db, ADD_SERIES, err);
    work->add_price = stmt_prepare(work->db, ADD_PRICE, err);
    work->move_series = stmt_prepare(work->db,
                                     "UPDATE price_series SET nanos = ?, since_us = ?,"
                                     " held_nanos = NULL WHERE number = ?",
                                     err);
    work->hold_series =
        stmt_prepare(work->db, "UPDATE price_series SET held_nanos = ? WHERE number = ?", err);
    if (!work->add_series || !work->add_price || !work->move_series || !work->hold_series)
        return false;
    while ((price = price_batch_next(batch, &position)) != NULL)
        if (!write_one(work, price, position - 1, err))
            return false;
    for (size_t i = 0; i < work->gone_count; i++)
        if (!move_series(work, &work->gone[i], NULL, err))
            return false;
    return true;
}

bool prices_replace(struct db *db, const struct price_snapshot *snapshot,
                    struct change *ret_change, struct error *err)
{
    AUTO(transaction_end) struct transaction transaction = {0};
    AUTO(replacement_end)
    struct replacement work = {
        .db = db, .snapshot = snapshot, .now_us = snapshot->row->confirmed_us};
    struct feed_row row = *snapshot->row;

    if (!transaction_begin(&transaction, db, DB_RELAXED, err) || !compare(&work, err) ||
        !change_is_plausible(snapshot->source, snapshot->batch, &work.change, err) ||
        !write_all(&work, err))
        return false;
    row.prices = (long long)work.change.after;
    if (!feed_rows_put_reading(db, &row, err) ||
        !catalogue_put(db, row.feed, snapshot->batch, err))
        return false;
    replacement_end(&work); /* a commit wants no statement half-way */
    if (!transaction_commit(&transaction, err))
        return false;
    *ret_change = work.change;
    return true;
}

/* The series of a typed price, and what is known of it. */
static bool find_series(struct db *db, const struct price *price, struct known *ret_known,
                        struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db,
        "SELECT number, nanos, since_us, (SELECT count(*) FROM prices WHERE series = number AND"
        " since_us = ?) FROM price_series WHERE feed = ? AND scope = '' AND instance_type = ?"
        " AND region = ? AND zone = ? AND kind = ? AND provider = ? AND currency = ?",
        err);
    enum stmt_step step;

    if (!query)
        return false;
    stmt_integer(query, price->source_us);
    stmt_text(query, price->feed);
    stmt_text(query, price->instance_type);
    stmt_text(query, price->region);
    stmt_text(query, price->zone);
    stmt_text(query, price_kind_name(price->kind));
    stmt_text(query, price->provider);
    stmt_text(query, price->currency);
    step = stmt_step(query, err);
    *ret_known = (struct known){0};
    if (step != STMT_ROW)
        return step == STMT_DONE;
    *ret_known = (struct known){.number = stmt_column_integer(query, 0),
                                .nanos = stmt_column_integer(query, 1),
                                .since_us = stmt_column_integer(query, 2),
                                .is_held = stmt_column_integer(query, 3) > 0};
    return true;
}

static bool put_into(struct db *db, const struct price *price, const struct known *known,
                     struct error *err)
{
    AUTO(stmt_done) struct stmt *series = NULL, *add = stmt_prepare(db, ADD_PRICE, err);
    long long number = known->number;

    if (!add)
        return false;
    if (number == 0) {
        if (price->nanos == 0)
            return error_set(err, ERROR_NOT_FOUND, NULL, "there is no such price to withdraw");
        series = stmt_prepare(db, ADD_SERIES, err);
        if (!series || !insert_series(series, "", price, price->source_us, &number, err))
            return false;
    } else if (price->source_us > known->since_us) { /* else it is about a time gone by */
        series = stmt_prepare(
            db, "UPDATE price_series SET nanos = nullif(?, 0), since_us = ? WHERE number = ?",
            err);
        if (!series)
            return false;
        stmt_integer(series, price->nanos);
        stmt_integer(series, price->source_us);
        stmt_integer(series, number);
        if (!stmt_run(series, err))
            return false;
    }
    return add_price(add, number, price->source_us, price->fetched_us,
                     price->nanos > 0 ? price : NULL, err);
}

bool prices_put_within(struct db *db, const struct price *prices, size_t count, struct error *err)
{
    if (!revision_touch(db, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct known known;

        if (!find_series(db, &prices[i], &known, err))
            return false;
        if (known.is_held)
            return error_set(err, ERROR_CONFLICT, "valid_from",
                             "a price was stored for that very moment, and history does not "
                             "change");
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
    AUTO(stmt_done)
    struct stmt *prices = stmt_prepare(
        db, "DELETE FROM prices WHERE series IN (SELECT number FROM price_series WHERE feed = ?)",
        err);
    AUTO(stmt_done) struct stmt *series = NULL;

    if (!prices)
        return false;
    stmt_text(prices, feed);
    if (!stmt_run(prices, err))
        return false;
    series = stmt_prepare(db, "DELETE FROM price_series WHERE feed = ?", err);
    if (!series)
        return false;
    stmt_text(series, feed);
    return stmt_run(series, err);
}
