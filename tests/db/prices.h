/* Prices of a made-up feed, and what the database says of them, for one test. */
#pragma once

#include "db/prices/catalogue.h"
#include "db/prices/price_list.h"
#include "db/prices/price_put.h"
#include "db/prices/price_store.h"
#include "tests/db/database.h"

#define SECOND_US 1000000LL
#define THEN_US (NOON_US + 1000 * SECOND_US) /* the first reading of most tests */
#define VIEWS_MAX 200

static const struct source plain_source = {.name = "made-up"};

/* What a test says of a price; "" and NULL are the usual. */
struct said {
    const char *type, *text; /* text NULL: the feed has none */
    const char *region;      /* NULL: "eu-north-1"; "": it is left open */
    enum price_kind kind;
    const char *zone, *currency; /* NULL: "", "USD" */
    long long source_us;
};

/* P("m5.large", "0.1", .kind = PRICE_SPOT) */
/* Versions of clang-format differ about braces in a macro. */
/* clang-format off */
#define P(type_, ...) {.type = (type_), .text = __VA_ARGS__}
/* clang-format on */

/* Others of a feed, so that one may go without the reading being rejected. */
#define FOUR P("a", "1"), P("b", "1"), P("c", "1"), P("d", "1")

/* A reading. A test sets only what it needs. */
struct feed_reading {
    const struct source *source; /* NULL: plain_source */
    const char *scope;           /* NULL: "all" */
    long long at_us;             /* when it was read */
    long long source_us;
    const struct said *prices;
    size_t count;
    const char *types; /* that were asked for */
    bool accept;
};

static inline struct price price_said(const struct said *said)
{
    struct price price = {.kind = said->kind, .source_us = said->source_us};

    EXPECT(PRICE_WORD(price.provider, "aws"));
    EXPECT(PRICE_WORD(price.instance_type, said->type));
    EXPECT((said->region && !*said->region) ||
           PRICE_WORD(price.region, said->region ? said->region : "eu-north-1"));
    EXPECT(!said->zone || PRICE_WORD(price.zone, said->zone));
    EXPECT(PRICE_WORD(price.currency, said->currency ? said->currency : "USD"));
    EXPECT(PRICE_WORD(price.reference, "SKU"));
    if (said->kind == PRICE_TYPED || said->kind == PRICE_OWN)
        EXPECT(PRICE_WORD(price.feed, "typed"));
    EXPECT(!said->text || price_set(&price, said->text));
    return price;
}

static inline struct price_batch *batch_of_reading(const struct feed_reading *reading)
{
    struct price_batch *batch = price_batch_new(
        reading->source ? reading->source->name : plain_source.name, reading->at_us);

    for (size_t i = 0; batch && i < reading->count; i++) {
        const struct price price = price_said(&reading->prices[i]);

        EXPECT(!reading->prices[i].text ||
               price_batch_add(batch, &price, TWIN_IS_AMBIGUOUS, NULL));
    }
    return batch;
}

static inline struct feed_row row_of_reading(const struct feed_reading *reading)
{
    struct feed_row row = {.state = "ok",
                           .checked_us = reading->at_us,
                           .confirmed_us = reading->at_us,
                           .changed_us = reading->at_us,
                           .source_us = reading->source_us,
                           .status = 200};

    snprintf(row.feed, sizeof row.feed, "%s",
             reading->source ? reading->source->name : plain_source.name);
    snprintf(row.scope, sizeof row.scope, "%s", reading->scope ? reading->scope : "all");
    return row;
}

static inline bool replace_with(struct db *db, const struct feed_reading *reading,
                                struct change *ret_change, struct error *err)
{
    AUTO(price_batch_freep) struct price_batch *batch = batch_of_reading(reading);
    const struct feed_row row = row_of_reading(reading);
    const struct source *source = reading->source ? reading->source : &plain_source;

    return prices_replace(db,
                          &(struct price_snapshot){.source = source,
                                                   .types = reading->types,
                                                   .accept = reading->accept,
                                                   .batch = batch,
                                                   .row = &row},
                          ret_change, err);
}

/* A reading that must be accepted. */
static inline struct change replaced(struct db *db, const struct feed_reading *reading)
{
    struct change change = {0};

    EXPECT_OK(replace_with(db, reading, &change, &err));
    return change;
}

/* The usual reading, so many seconds after the first: READ() accepts it, whatever it says;
 * WEIGH() accepts it only where the server would. */
#define READING(seconds, ...)                                                                    \
    .at_us = THEN_US + SECOND_US * (seconds), .prices = (const struct said[]){__VA_ARGS__},      \
    .count = COUNT(((const struct said[]){__VA_ARGS__}))
#define READ(db, seconds, ...)                                                                   \
    replaced(db, &(struct feed_reading){READING(seconds, __VA_ARGS__), .accept = true})
#define WEIGH(db, seconds, ...)                                                                  \
    replaced(db, &(struct feed_reading){READING(seconds, __VA_ARGS__)})

/* The usual reading of some source. */
#define READ_OF(db, source_, seconds, ...)                                                       \
    replaced(db, &(struct feed_reading){.source = (source_),                                     \
                                        .at_us = THEN_US + SECOND_US * (seconds),                \
                                        .prices = (const struct said[]){__VA_ARGS__},            \
                                        .count = COUNT(((const struct said[]){__VA_ARGS__}))})

struct views {
    size_t count;
    struct price_at list[VIEWS_MAX];
    struct taken_back withdrawn[VIEWS_MAX];
};

static inline void views_add(void *user, const struct listed_price *listed)
{
    struct views *views = user;

    REQUIRE(views->count < VIEWS_MAX);
    views->withdrawn[views->count] = listed->withdrawn;
    views->list[views->count++] = listed->at;
}

static inline struct views list_of(struct db *db, struct price_filter filter)
{
    struct views views = {0};

    filter.limit = filter.limit ? filter.limit : VIEWS_MAX;
    EXPECT_OK(price_list(db, &filter, views_add, &views, &err));
    return views;
}

static inline struct views history_of(struct db *db, struct price_filter filter)
{
    struct views views = {0};

    filter.limit = filter.limit ? filter.limit : VIEWS_MAX;
    filter.at_us = filter.at_us ? filter.at_us : NOON_US * 2;
    EXPECT_OK(price_history(db, &filter, views_add, &views, &err));
    return views;
}

/* The only price of a type so many seconds after the first reading; "" for none. */
static inline const char *text_at(struct db *db, const char *type, long long seconds)
{
    static struct views views;

    views = list_of(
        db, (struct price_filter){.instance_type = type, .at_us = THEN_US + seconds * SECOND_US});
    EXPECT(views.count <= 1);
    return views.count ? views.list[0].price.text : "";
}

/* All that prices_replace() and prices_put() write, as one text. */
static inline void everything(struct db *db, size_t size, char ret_text[])
{
    text_of(db,
            "SELECT group_concat(line, char(10)) FROM ("
            "SELECT json_array('s', number, feed, scope, provider, region, zone, instance_type,"
            " kind, currency, nanos, since_us, held_nanos, held_us) AS line FROM price_series "
            "UNION ALL"
            " SELECT json_array('p', series, since_us, nanos, text, reference, source_us,"
            " fetched_us, withdrawn_us, withdrawn_by, withdrawn_reason) FROM prices UNION ALL"
            " SELECT json_array('r', feed, scope, fetched_us, source_us, prices) FROM readings"
            " UNION ALL SELECT json_array('f', feed, scope, address, state, reason, checked_us,"
            " confirmed_us, changed_us, source_us, etag, last_modified, mark, status, bytes,"
            " prices, failures, tally, held, doubt_us, doubt_prices) FROM feed_states UNION ALL"
            " SELECT json_array('t', provider, name, vcpus, memory_gib, architecture,"
            " accelerator, feed) FROM instance_types UNION ALL"
            " SELECT json_array('i', provider, instance_type, region, band, feed)"
            " FROM interruptions)",
            size, ret_text);
    EXPECT(strlen(ret_text) < size - 1);
}

static inline long long rows_of_history(struct db *db)
{
    return rows_in(db, "prices");
}
