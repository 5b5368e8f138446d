#include "db/prices/other_feeds.h"

#include "common/cleanup.h"
#include "common/hash.h"
#include "db/stmt.h"
#include "pricing/commitment.h"
#include "pricing/freshness.h"

#include <assert.h>

#define ZONE_LEAP 4 /* a zone's spot price may be so many times its region's */

/* What a type costs in a region; 0 is not known. */
struct known_price {
    uint64_t name;
    long long nanos[2];    /* by other feeds: on demand and on spot, without a zone */
    long long own_nanos;   /* by the reading itself: on demand, in a zone where not without */
    long long typed_nanos; /* by a person */
};

static uint64_t name_of(const char *provider, const char *region, const char *type)
{
    return hash_part(hash_part(hash_part(HASH_START, provider), region), type);
}

/* The price of a type in a region, which becomes known if it was not. */
static struct known_price *known_price_add(struct other_feeds *others, const char *provider,
                                           const char *region, const char *type)
{
    return table_add(&others->prices, name_of(provider, region, type),
                     sizeof(struct known_price));
}

/* A row of SELECTED. Where several feeds know a price, the first that was read here counts. */
static bool other_feeds_take_row(struct other_feeds *others, struct stmt *row, long long now_us,
                                 struct error *err)
{
    struct known_price *known;
    enum price_kind kind;
    long long *nanos;

    if (!price_kind_from_name(stmt_column_text(row, 3), &kind))
        return error_set(err, ERROR_INTERNAL, NULL, "a stored price has an unknown kind");
    if (kind != PRICE_TYPED &&
        freshness_of(kind, now_us - stmt_column_integer(row, 6),
                     source_pace_us(stmt_column_text(row, 5))) == PRICE_EXPIRED)
        return true;
    known = known_price_add(others, stmt_column_text(row, 0), stmt_column_text(row, 1),
                            stmt_column_text(row, 2));
    nanos = kind == PRICE_TYPED ? &known->typed_nanos : &known->nanos[kind];
    if (*nanos == 0)
        *nanos = stmt_column_integer(row, 4);
    return true;
}

/* The region of a reading of one region; NULL where it has several. */
static const char *only_region(const struct price_batch *batch)
{
    const struct price *first, *price;
    size_t position = 0;

    first = price_batch_next(batch, &position);
    while (first && (price = price_batch_next(batch, &position)) != NULL)
        if (strcmp(price->region, first->region) != 0)
            return NULL;
    return first ? first->region : NULL;
}

#define SELECTED                                                                                 \
    "SELECT s.provider, s.region, s.instance_type, s.kind, s.nanos, s.feed, f.confirmed_us"      \
    " FROM price_series AS s LEFT JOIN feed_states AS f ON f.feed = s.feed AND f.scope ="        \
    " s.scope WHERE s.nanos NOT NULL AND s.held_us IS NULL AND s.zone = '' AND s.currency ="     \
    " 'USD' AND s.feed NOT IN (?1, 'published', 'price-file') AND (s.kind = 'typed' OR"          \
    " s.kind IN ('on_demand', 'spot') AND f.confirmed_us NOT NULL)"

static bool is_listed(const struct price *price)
{
    return price->kind <= PRICE_SPOT && strcmp(price->currency, "USD") == 0;
}

static void other_feeds_take_reading(struct other_feeds *others, const struct price_batch *batch)
{
    const struct price *price;
    size_t position = 0;

    while ((price = price_batch_next(batch, &position)) != NULL) {
        struct known_price *known;

        if (!is_listed(price) || price->kind != PRICE_ON_DEMAND)
            continue;
        known = known_price_add(others, price->provider, price->region, price->instance_type);
        if (known->own_nanos == 0 || !price->zone[0])
            known->own_nanos = price->nanos;
    }
}

bool other_feeds_load(struct db *db, const struct feed_row *row, const struct price_batch *batch,
                      struct other_feeds *ret_others, struct error *err)
{
    const char *region = only_region(batch);
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db, region ? SELECTED " AND s.region IN (?2, '')" : SELECTED, err);
    AUTO(other_feeds_free) struct other_feeds others = {0};
    enum stmt_step step;

    stmt_text(query, row->feed);
    if (region)
        stmt_text(query, region);
    while ((step = stmt_step(query, err)) == STMT_ROW)
        if (!other_feeds_take_row(&others, query, row->confirmed_us, err))
            return false;
    if (step != STMT_DONE)
        return false;
    other_feeds_take_reading(&others, batch);
    *ret_others = others;
    others = (struct other_feeds){0};
    return true;
}

long long other_feeds_find(const struct other_feeds *others, const struct price *like,
                           enum price_kind kind)
{
    const struct known_price *known =
        table_find(&others->prices, name_of(like->provider, like->region, like->instance_type));

    assert(kind == PRICE_ON_DEMAND || kind == PRICE_SPOT);
    return known ? known->nanos[kind] : 0;
}

/* Of the region, or else of any: by the reading itself, by another feed, or by a person where
 * that counts. */
static long long on_demand_of(const struct other_feeds *others, const struct price *spot,
                              bool by_persons)
{
    const char *const regions[] = {spot->region, ""};

    for (size_t i = 0; i < COUNT(regions); i++) {
        const struct known_price *known =
            table_find(&others->prices, name_of(spot->provider, regions[i], spot->instance_type));

        if (!known)
            continue;
        if (known->own_nanos > 0)
            return known->own_nanos;
        if (known->nanos[PRICE_ON_DEMAND] > 0)
            return known->nanos[PRICE_ON_DEMAND];
        if (by_persons && known->typed_nanos > 0)
            return known->typed_nanos;
    }
    return 0;
}

static bool is_expensive(const struct other_feeds *others, const struct price *price,
                         bool trusted, struct cross_check *cross)
{
    long long on_demand;
    bool expensive;

    if (!is_listed(price) || price->kind != PRICE_SPOT ||
        (on_demand = on_demand_of(others, price, trusted)) == 0)
        return false;
    expensive = spot_is_expensive(price->nanos, on_demand);
    cross->spots++;
    cross->expensive += expensive;
    return expensive;
}

/* So many are not what makes a reading odd: those by the hour are judged without them. */
static void drop_odd_commitments(const struct other_feeds *others, struct price_batch *batch)
{
    const struct price *price;
    size_t position = 0;
    long long on_demand;

    while ((price = price_batch_next(batch, &position)) != NULL)
        if (price->kind >= PRICE_COMMITTED && strcmp(price->currency, "USD") == 0 &&
            (on_demand = on_demand_of(others, price, false)) > 0 &&
            commitment_is_odd(price->nanos, on_demand))
            price_batch_drop_expensive(batch, position - 1);
}

void other_feeds_drop_expensive(const struct other_feeds *others, struct price_batch *batch,
                                bool trusted, struct cross_check *ret_cross)
{
    struct cross_check counted = {0}, again = {0};
    const struct price *price;
    size_t position = 0;

    while ((price = price_batch_next(batch, &position)) != NULL)
        (void)!is_expensive(others, price, trusted, &counted);
    *ret_cross = counted;
    drop_odd_commitments(others, batch);
    position = 0;
    if (!trusted && are_many(counted.expensive, counted.spots))
        return;
    while (counted.expensive > 0 && (price = price_batch_next(batch, &position)) != NULL)
        if (is_expensive(others, price, trusted, &again))
            price_batch_drop_expensive(batch, position - 1);
}

static bool is_strange(const struct price *price, long long other_nanos)
{
    if (price->kind == PRICE_SPOT && price->zone[0])
        return price->nanos > other_nanos * ZONE_LEAP || other_nanos > price->nanos * ZONE_LEAP;
    return is_leap(price->kind, other_nanos, price->nanos);
}

void other_feeds_weigh(const struct other_feeds *others, const struct price *price,
                       long long before_nanos, bool is_first, struct cross_check *cross)
{
    long long spot, same;

    if (!is_listed(price))
        return;
    same = other_feeds_find(others, price, price->kind);
    if (is_first && same > 0) {
        cross->firsts++;
        cross->strange += is_strange(price, same);
    }
    if (price->kind == PRICE_SPOT) {
        cross->level += before_nanos != price->nanos &&
                        is_level(on_demand_of(others, price, false), price->nanos);
        return;
    }
    spot = other_feeds_find(others, price, PRICE_SPOT);
    cross->lists += spot > 0;
    cross->swapped += before_nanos != price->nanos && is_level(spot, price->nanos);
}

void other_feeds_free(struct other_feeds *others)
{
    table_free(&others->prices);
}
