#include "db/prices/price_list.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "db/prices/withdrawal_row.h"
#include "db/stmt.h"

#include <assert.h>

/* Parameters: 1 provider, 2 region, 3 zone, 4 kind, 5 feed, 6 the moment, 7 after, 8 limit, 9
 * type. The moment of a reading is when it was fetched: what was not known yet confirms nothing,
 * and so does a reading since a price is in doubt. */
#define LIST_COLUMNS                                                                             \
    "SELECT s.number, s.feed, s.provider, s.region, s.zone, s.instance_type, s.kind,"            \
    " s.currency, p.nanos, p.text, p.reference, p.source_us, p.fetched_us, p.since_us,"          \
    " r.fetched_us, r.source_us, p.withdrawn_us, p.withdrawn_by, p.withdrawn_reason, s.held_us," \
    " s.held_nanos, s.since_us, CASE WHEN s.held_us NOT NULL THEN (SELECT held FROM "            \
    "feed_states AS f"                                                                           \
    " WHERE f.feed = s.feed AND f.scope = s.scope) END, p.upfront_nanos"                         \
    " FROM price_series AS s JOIN prices AS p ON p.series = s.number"
#define CONFIRMED                                                                                \
    " LEFT JOIN readings AS r ON r.feed = s.feed AND r.scope = s.scope AND r.fetched_us ="       \
    " (SELECT max(fetched_us) FROM readings WHERE feed = s.feed AND scope = s.scope"             \
    " AND fetched_us <= ?6 AND fetched_us < ifnull(s.held_us, 9223372036854775807))"
#define HELD_THEN                                                                                \
    " AND (p.since_us, p.withdrawn_us) = (SELECT since_us, withdrawn_us FROM prices"             \
    " WHERE series = s.number AND since_us <= ?6 AND withdrawn_us > ?6"                          \
    " ORDER BY since_us DESC, withdrawn_us DESC LIMIT 1)"
#define CONDITIONS                                                                               \
    " (?1 IS NULL OR s.provider = ?1) AND (?2 IS NULL OR s.region = ?2)"                         \
    " AND (?3 IS NULL OR s.zone = ?3) AND (?4 IS NULL OR s.kind = ?4)"                           \
    " AND (?5 IS NULL OR s.feed = ?5)"
#define PAGE " AND s.number > ?7 ORDER BY s.number LIMIT ?8"
#define TYPE " AND s.instance_type = ?9"

static void listed_from_row(struct stmt *row, long long at_us, struct listed_price *ret_listed)
{
    const long long held_us = stmt_column_integer(row, 19);
    const long long confirmed_us = stmt_column_integer(row, 14);
    const long long confirmed_source_us = stmt_column_integer(row, 15);
    struct listed_price listed = {
        .at = {.series = stmt_column_integer(row, 0),
               .since_us = stmt_column_integer(row, 13),
               .said_us = confirmed_source_us ? confirmed_source_us : confirmed_us,
               .doubted = held_us > 0 && held_us <= at_us}};
    struct price *price = &listed.at.price;

    TEXT_COPY(price->feed, stmt_column_text(row, 1));
    TEXT_COPY(price->provider, stmt_column_text(row, 2));
    TEXT_COPY(price->region, stmt_column_text(row, 3));
    TEXT_COPY(price->zone, stmt_column_text(row, 4));
    TEXT_COPY(price->instance_type, stmt_column_text(row, 5));
    TEXT_COPY(price->currency, stmt_column_text(row, 7));
    TEXT_COPY(price->text, stmt_column_text(row, 9));
    TEXT_COPY(price->reference, stmt_column_text(row, 10));
    if (!price_kind_from_name(stmt_column_text(row, 6), &price->kind))
        price->kind = PRICE_ON_DEMAND; /* the schema lets in no other words */
    price->nanos = stmt_column_integer(row, 8);
    price->upfront_nanos = stmt_column_integer(row, 23);
    price->source_us = confirmed_source_us ? confirmed_source_us : stmt_column_integer(row, 11);
    price->fetched_us = confirmed_us ? confirmed_us : stmt_column_integer(row, 12);
    if (listed.at.doubted && listed.at.since_us == stmt_column_integer(row, 21)) {
        listed.waiting.since_us = held_us;
        listed.waiting.nanos = stmt_column_integer(row, 20);
        listed.waiting.count = stmt_column_integer(row, 22);
    }
    withdrawal_read(row, 16, &listed.withdrawn);
    assert(!listed.waiting.since_us || listed.at.doubted);
    *ret_listed = listed;
}

static bool price_list_tell_all(struct stmt *query, const struct price_filter *filter,
                                price_tell_fn *tell, void *user, struct error *err)
{
    enum stmt_step step;

    stmt_text(query, filter->provider);
    stmt_text(query, filter->region);
    stmt_text(query, filter->zone);
    stmt_text(query, filter->kind);
    stmt_text(query, filter->feed);
    stmt_integer(query, filter->at_us);
    stmt_integer(query, filter->after);
    stmt_integer(query, filter->limit);
    if (filter->instance_type)
        stmt_text(query, filter->instance_type);
    while ((step = stmt_step(query, err)) == STMT_ROW) {
        struct listed_price listed;

        listed_from_row(query, filter->at_us, &listed);
        tell(user, &listed);
    }
    return step == STMT_DONE;
}

bool price_list(struct db *db, const struct price_filter *filter, price_tell_fn *tell, void *user,
                struct error *err)
{
    static const char of_type[] =
        LIST_COLUMNS HELD_THEN CONFIRMED " WHERE p.nanos IS NOT NULL AND" CONDITIONS TYPE PAGE;
    static const char of_any[] =
        LIST_COLUMNS HELD_THEN CONFIRMED " WHERE p.nanos IS NOT NULL AND" CONDITIONS PAGE;
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db, filter->instance_type ? of_type : of_any, err);

    return price_list_tell_all(query, filter, tell, user, err);
}

bool price_history(struct db *db, const struct price_filter *filter, price_tell_fn *tell,
                   void *user, struct error *err)
{
    static const char sql[] = LIST_COLUMNS
        " LEFT JOIN readings AS r ON false WHERE p.since_us <= ?6 AND" CONDITIONS TYPE
        " AND s.number > ?7 ORDER BY p.since_us DESC, p.withdrawn_us DESC,"
        " s.number LIMIT ?8";
    AUTO(stmt_done) struct stmt *query = NULL;

    if (!filter->instance_type)
        return true;
    query = stmt_prepare(db, sql, err);
    return price_list_tell_all(query, filter, tell, user, err);
}

bool price_find(struct db *db, const struct price_key *key, struct listed_price *ret_listed,
                struct error *err)
{
    static const char sql[] =
        LIST_COLUMNS " LEFT JOIN readings AS r ON false WHERE s.number = ?"
                     " AND p.since_us = ? ORDER BY p.withdrawn_us DESC LIMIT 1";
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, sql, err);
    enum stmt_step step;

    stmt_integer(query, key->series);
    stmt_integer(query, key->since_us);
    step = stmt_step(query, err);
    if (step == STMT_DONE)
        return error_set(err, ERROR_NOT_FOUND, NULL, "there is no such price");
    if (step != STMT_ROW)
        return false;
    listed_from_row(query, 0, ret_listed);
    return true;
}
