#include "db/prices/price_store.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "common/text.h"
#include "db/prices/catalogue.h"
#include "db/prices/other_feeds.h"
#include "db/prices/price_rows.h"
#include "db/stmt.h"
#include "pricing/feeds/coverage.h"
#include "pricing/freshness.h"

#include <assert.h>

#define NOTHING_HELD (-1)

/* The stored price for a place of the batch; number 0 if none. */
struct known {
    long long number, nanos, held, held_us, since_us, upfront_nanos;
    bool is_held; /* it moved too far, and is held back */
};

/* Known prices that the reading lacks. */
struct gone {
    struct known known;
    struct coverage_names names;
    bool judged;
};

struct replacement {
    struct db *db;
    const struct price_snapshot *snapshot;
    struct known *known; /* one per place of the batch */
    struct gone *gone;
    size_t gone_count, gone_room;
    struct coverage coverage; /* of the known prices that are compared */
    struct other_feeds others;
    long long now_us;
    bool trusted;        /* nothing is doubted */
    struct feed_row old; /* what was known of the scope */
    struct change change;
    struct stmt *add_series, *add_price, *move_series, *hold_series;
};

static void replacement_end(struct replacement *work)
{
    freep(&work->known);
    freep(&work->gone);
    coverage_free(&work->coverage);
    other_feeds_free(&work->others);
    stmt_done(&work->add_series);
    stmt_done(&work->add_price);
    stmt_done(&work->move_series);
    stmt_done(&work->hold_series);
}

static void note_gone(struct replacement *work, const struct gone *gone)
{
    work->gone = xgrow(work->gone, work->gone_count, &work->gone_room, sizeof *work->gone);
    work->gone[work->gone_count++] = *gone;
}

/* Whether the new reading is compared with this known price. */
static bool known_price_judges(const struct replacement *work, const struct price *like)
{
    return freshness_of(like->kind, work->now_us - work->old.confirmed_us,
                        work->snapshot->source->pace_seconds * US_PER_SECOND) != PRICE_EXPIRED &&
           type_is_asked_for(work->snapshot->source, work->snapshot->types, like->instance_type);
}

/* Whether this reading confirms a held price. An on-demand price has to wait as long as a whole
 * reading, since it moves once in years. */
static bool leap_is_confirmed(const struct replacement *work, const struct known *known,
                              enum price_kind kind, long long said_nanos)
{
    return is_confirmed(kind, known->held, said_nanos) &&
           (kind == PRICE_SPOT || work->now_us - known->held_us >= DOUBT_SECONDS * US_PER_SECOND);
}

/* Counts a known price; `said_nanos` is 0 if the reading lacks it. */
static void known_price_weigh(struct replacement *work, struct known *known, enum price_kind kind,
                              long long said_nanos)
{
    struct change *change = &work->change;
    bool contested = said_nanos != known->nanos || known->held != NOTHING_HELD;
    long long held_nanos = known->held == NOTHING_HELD ? known->nanos : known->held;

    assert(known->nanos > 0 && said_nanos >= 0);
    change->contested += contested;
    change->agreed +=
        contested && (held_nanos == said_nanos || is_confirmed(kind, held_nanos, said_nanos));
}

/* Counts a known price that is compared. */
static void known_price_judge(struct replacement *work, struct known *known,
                              const struct price *like, const struct coverage_names *names,
                              long long said_nanos)
{
    struct change *change = &work->change;
    struct moves *moves = &change->moves[move_group_of(like->kind)];

    change->before++;
    moves->before++;
    if (said_nanos > 0) {
        bool leapt = is_leap(like->kind, known->nanos, said_nanos);

        change->common++;
        moves->common++;
        moves->leapt += leapt;
        moves->fell += leapt && said_nanos < known->nanos;
        moves->drifted += is_drift(like->kind, known->nanos, said_nanos);
        known->is_held =
            leapt && !work->trusted && !leap_is_confirmed(work, known, like->kind, said_nanos);
    }
    coverage_count(&work->coverage, names, said_nanos > 0);
}

/* A stored series, and its price in the batch. */
static bool replacement_compare_row(struct replacement *work, struct stmt *row, struct error *err)
{
    struct known known = {.number = stmt_column_integer(row, 0),
                          .nanos = stmt_column_integer(row, 7),
                          .held = stmt_column_integer(row, 8),
                          .since_us = stmt_column_integer(row, 9),
                          .held_us = stmt_column_integer(row, 10),
                          .upfront_nanos = stmt_column_integer(row, 11)};
    struct coverage_names names;
    struct price like = {0};
    const struct price *price;
    bool judged;
    size_t place;

    TEXT_COPY(like.provider, stmt_column_text(row, 1));
    TEXT_COPY(like.region, stmt_column_text(row, 2));
    TEXT_COPY(like.zone, stmt_column_text(row, 3));
    TEXT_COPY(like.instance_type, stmt_column_text(row, 4));
    TEXT_COPY(like.currency, stmt_column_text(row, 6));
    if (!price_kind_from_name(stmt_column_text(row, 5), &like.kind))
        return error_set(err, ERROR_INTERNAL, NULL, "a stored price has an unknown kind");
    price = price_batch_find(work->snapshot->batch, &like, &place);
    judged = known.nanos > 0 && known_price_judges(work, &like);
    coverage_names_of(&like, &names);
    if (known.nanos > 0)
        known_price_weigh(work, &known, like.kind, price ? price->nanos : 0);
    if (judged)
        known_price_judge(work, &known, &like, &names, price ? price->nanos : 0);
    if (price)
        work->known[place] = known;
    else if (known.nanos > 0)
        note_gone(work, &(struct gone){known, names, judged});
    return true;
}

static bool replacement_compare(struct replacement *work, struct error *err)
{
    const struct feed_row *feed = work->snapshot->row;
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        work->db,
        "SELECT number, provider, region, zone, instance_type, kind, currency, nanos,"
        " ifnull(held_nanos, -1), since_us, ifnull(held_us, 0), upfront_nanos FROM price_series "
        "WHERE feed = ? "
        "AND scope = ?",
        err);
    enum stmt_step step;

    work->known = xcalloc(price_batch_places(work->snapshot->batch) + 1, sizeof *work->known);
    stmt_text(query, feed->feed);
    stmt_text(query, feed->scope);
    while ((step = stmt_step(query, err)) == STMT_ROW)
        if (!replacement_compare_row(work, query, err))
            return false;
    work->change.after = price_batch_count(work->snapshot->batch);
    work->change.gone = work->gone_count;
    return step == STMT_DONE;
}

/* Compares the reading with known prices of other kinds, and with other feeds. */
static void replacement_compare_others(struct replacement *work)
{
    const struct price_batch *batch = work->snapshot->batch;
    bool is_first = work->change.before == 0;
    const struct price *price;
    size_t position = 0;

    while ((price = price_batch_next(batch, &position)) != NULL)
        other_feeds_weigh(&work->others, price, work->known[position - 1].nanos, is_first,
                          &work->change.cross);
}

/* Since when a price is valid: as its source says, but never before already known prices. */
static long long price_since(const struct price *price, long long last_us, long long now_us)
{
    long long since_us = price && price->source_us > 0 ? price->source_us : now_us;

    if (since_us > last_us)
        return since_us;
    return now_us > last_us ? now_us : last_us + 1;
}

/* Deletes a scheduled price that the new reading no longer contains. A row fetched later than now
 * is not scheduled: the clock went back. */
static bool withdraw_promises(struct replacement *work, long long number, long long *ret_last_us,
                              struct error *err)
{
    AUTO(stmt_done)
    struct stmt *withdraw = stmt_prepare(
        work->db, "DELETE FROM prices WHERE series = ?1 AND since_us > ?2 AND fetched_us <= ?2",
        err);
    AUTO(stmt_done) struct stmt *last = NULL;

    stmt_integer(withdraw, number);
    stmt_integer(withdraw, work->now_us);
    if (!stmt_run(withdraw, err))
        return false;
    last = stmt_prepare(work->db, "SELECT max(since_us) FROM prices WHERE series = ?", err);
    stmt_integer(last, number);
    return stmt_take_number(last, ret_last_us, err);
}

static bool move_series(struct replacement *work, const struct known *known,
                        const struct price *price, struct error *err)
{
    long long since_us, last_us = known->since_us;

    if (last_us > work->now_us && !withdraw_promises(work, known->number, &last_us, err))
        return false;
    since_us = price_since(price, last_us, work->now_us);
    assert(since_us > last_us); /* or it would overlap the one before it */
    if (price)
        stmt_integer(work->move_series, price->nanos);
    else
        stmt_text(work->move_series, NULL);
    stmt_integer(work->move_series, since_us);
    stmt_integer(work->move_series, price ? price->upfront_nanos : 0);
    stmt_integer(work->move_series, known->number);
    return stmt_run(work->move_series, err) &&
           price_row_add(work->add_price, known->number, since_us, work->now_us, price, err);
}

/* Stores the prices that a reading holds back. */
static bool replacement_hold_one(struct replacement *work, const struct known *known,
                                 long long nanos, struct error *err)
{
    assert(nanos >= 0 || nanos == NOTHING_HELD);
    if (nanos == known->held)
        return true;
    if (nanos == NOTHING_HELD)
        stmt_text(work->hold_series, NULL);
    else
        stmt_integer(work->hold_series, nanos);
    stmt_integer(work->hold_series, work->now_us);
    stmt_integer(work->hold_series, known->number);
    return stmt_run(work->hold_series, err);
}

static bool replacement_write_one(struct replacement *work, const struct price *price,
                                  size_t place, struct error *err)
{
    const struct known *known = &work->known[place];
    long long number;

    assert(price->nanos > 0 && (known->number > 0 || !known->is_held));
    if (known->number == 0) {
        long long since_us = price_since(price, 0, work->now_us);

        work->change.added++;
        return price_series_insert(work->add_series, work->snapshot->row->scope, price, since_us,
                                   &number, err) &&
               price_row_add(work->add_price, number, since_us, work->now_us, price, err);
    }
    if (known->is_held) {
        work->change.held++;
        return replacement_hold_one(work, known, price->nanos, err);
    }
    if (known->nanos == price->nanos &&
        known->upfront_nanos == price->upfront_nanos) /* maybe back from an unconfirmed leap */
        return replacement_hold_one(work, known, NOTHING_HELD, err);
    work->change.moved++;
    return move_series(work, known, price, err);
}

static bool replacement_prepare(struct replacement *work, struct error *err)
{
    work->add_series = stmt_prepare(work->db, ADD_SERIES, err);
    work->add_price = stmt_prepare(work->db, ADD_PRICE, err);
    work->move_series =
        stmt_prepare(work->db,
                     "UPDATE price_series SET nanos = ?, since_us = ?, upfront_nanos = ?,"
                     " held_nanos = NULL, held_us = NULL WHERE number = ?",
                     err);
    work->hold_series = stmt_prepare(work->db,
                                     "UPDATE price_series SET held_nanos = ?1, held_us = CASE"
                                     " WHEN ?1 IS NULL THEN NULL ELSE ifnull(held_us, ?2) END"
                                     " WHERE number = ?3",
                                     err);
    return work->add_series && work->add_price && work->move_series && work->hold_series;
}

/* Stores the whole reading, accepted or not, so that the next one can be compared with it. */
static bool replacement_hold_all(struct replacement *work, struct error *err)
{
    const struct price_batch *batch = work->snapshot->batch;
    const struct price *price;
    size_t position = 0;

    if (!replacement_prepare(work, err))
        return false;
    work->change.held = work->gone_count;
    while ((price = price_batch_next(batch, &position)) != NULL) {
        const struct known *known = &work->known[position - 1];
        bool same = known->nanos == price->nanos;

        work->change.held += !same;
        if (known->nanos > 0 &&
            !replacement_hold_one(work, known, same ? NOTHING_HELD : price->nanos, err))
            return false;
    }
    for (size_t i = 0; i < work->gone_count; i++)
        if (!replacement_hold_one(work, &work->gone[i].known, 0, err))
            return false;
    return true;
}

/* Whether a missing price stays until another reading, an hour later, lacks it too: its region,
 * its family or its kind has vanished. */
static bool gone_waits(const struct replacement *work, const struct gone *gone)
{
    bool said_before = gone->known.held == 0 &&
                       work->now_us - gone->known.held_us >= DOUBT_SECONDS * US_PER_SECOND;

    return !work->trusted && gone->judged && !said_before &&
           coverage_is_lost(&work->coverage, &gone->names);
}

static bool write_gone(struct replacement *work, const struct gone *gone, struct error *err)
{
    if (!gone_waits(work, gone))
        return move_series(work, &gone->known, NULL, err);
    assert(work->change.gone > 0);
    work->change.held++;
    work->change.gone--;
    return replacement_hold_one(work, &gone->known, 0, err);
}

static bool replacement_write_all(struct replacement *work, struct error *err)
{
    const struct price_batch *batch = work->snapshot->batch;
    const struct price *price;
    size_t position = 0;

    if (!replacement_prepare(work, err))
        return false;
    while ((price = price_batch_next(batch, &position)) != NULL)
        if (!replacement_write_one(work, price, position - 1, err))
            return false;
    for (size_t i = 0; i < work->gone_count; i++)
        if (!write_gone(work, &work->gone[i], err))
            return false;
    return true;
}

/* Stores the reading as held back. */
static bool replacement_hold_back(struct replacement *work, enum plausibility found,
                                  struct transaction *transaction, struct error *err)
{
    struct change *change = &work->change;
    struct feed_row *row = &work->old;

    assert(!work->trusted);
    change->doubt = change_doubt(change, found, &row->doubt, work->now_us);
    row->doubt = change->doubt;
    if (!replacement_hold_all(work, err))
        return false;
    row->held = (long long)change->held;
    if (!feed_rows_doubt(work->db, row, err))
        return false;
    replacement_end(work); /* SQLite cannot commit with a statement under way */
    return transaction_commit(transaction, err);
}

static bool replacement_take_over(struct replacement *work, struct transaction *transaction,
                                  struct error *err)
{
    struct feed_row row = *work->snapshot->row;

    if (!replacement_write_all(work, err))
        return false;
    assert(work->change.gone <= work->gone_count);
    row.prices = (long long)work->change.after;
    row.held = (long long)work->change.held;
    row.doubt = (struct doubt){0};
    row.tally = price_batch_facts(work->snapshot->batch)->tally;
    if (row.held > 0)
        row.etag[0] = row.last_modified[0] = row.mark[0] = '\0';
    if (!feed_rows_put_reading(work->db, &row, err) ||
        !catalogue_put(work->db, row.feed, work->snapshot->batch, err))
        return false;
    replacement_end(work);
    return transaction_commit(transaction, err);
}

/* Trusted readings are not compared with other feeds; but implausible spot prices of a file are
 * left out. */
static bool replacement_look_aside(struct replacement *work, struct error *err)
{
    const struct price_snapshot *snapshot = work->snapshot;

    if (snapshot->accept)
        return true;
    if (!other_feeds_load(work->db, snapshot->row, snapshot->batch, &work->others, err))
        return false;
    other_feeds_drop_expensive(&work->others, snapshot->batch, work->trusted,
                               &work->change.cross);
    return true;
}

static enum plausibility replacement_plausibility(const struct replacement *work,
                                                  struct error *why)
{
    const struct price_snapshot *snapshot = work->snapshot;
    enum plausibility found = IS_PLAUSIBLE;

    if (!work->trusted)
        found = change_plausibility(snapshot->source, snapshot->batch, &work->change, why);
    if (change_is_confirmed(&work->change, found, &work->old.doubt, work->now_us))
        return IS_PLAUSIBLE;
    return found;
}

bool prices_replace(struct db *db, const struct price_snapshot *snapshot,
                    struct change *ret_change, struct error *err)
{
    AUTO(transaction_end) struct transaction transaction = {0};
    AUTO(replacement_end)
    struct replacement work = {.db = db,
                               .snapshot = snapshot,
                               .now_us = snapshot->row->confirmed_us,
                               .trusted =
                                   snapshot->accept || (source_is_trusted(snapshot->source) &&
                                                        price_batch_count(snapshot->batch) > 0)};
    const struct feed_row *row = snapshot->row;
    struct error why = {0};
    enum plausibility found;

    if (!replacement_look_aside(&work, err) ||
        !transaction_begin(&transaction, db, DB_RELAXED, err) ||
        !feed_rows_find(db, row->feed, row->scope, &work.old, err) ||
        !replacement_compare(&work, err))
        return false;
    if (!work.trusted)
        replacement_compare_others(&work);
    found = replacement_plausibility(&work, &why);
    if (!(found == IS_PLAUSIBLE ? replacement_take_over(&work, &transaction, err)
                                : replacement_hold_back(&work, found, &transaction, err)))
        return false;
    *ret_change = work.change;
    return found == IS_PLAUSIBLE || error_set(err, why.kind, NULL, "%s", why.message);
}
