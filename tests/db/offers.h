/* What offers are asked about, for one test. */
#pragma once

#include "db/prices/offers.h"
#include "pricing/feeds/sources.h"
#include "tests/db/prices.h"

#define HOUR_US (3600 * SECOND_US)
#define DAY_US (24 * HOUR_US)

/* The question of most tests: about the region of prices.h, so many seconds after the first
 * reading, answered from what series are today. */
static inline struct offers_question asked(long long seconds)
{
    return (struct offers_question){
        .regions = {"eu-north-1"}, .at_us = THEN_US + seconds * SECOND_US, .is_now = true};
}

/* A test that has a new database, `db`, and that question of so many seconds. */
#define TEST_WITH_QUESTION(name, seconds)                                                        \
    static void name(struct db *db, struct offers_question *question);                           \
    TEST_FOUND(name, with_question(name, (seconds)))                                             \
    static void name(struct db *db, struct offers_question *question)

static inline void with_question(void (*test)(struct db *db, struct offers_question *question),
                                 long long seconds)
{
    struct offers_question question = asked(seconds);

    NEW_DATABASE(db);
    test(db, &question);
}

static inline struct offers offers_asked(struct db *db, const struct offers_question *question)
{
    struct offers offers = {0};

    EXPECT_OK(offers_load(db, question, NULL, 0, &offers, &err));
    return offers;
}

/* The offer of a type of aws, which must be there. It points into what the next call frees. */
static inline struct offer offer_asked(struct db *db, const char *type,
                                       const struct offers_question *question)
{
    static struct offers offers;

    offers_free(&offers);
    offers = offers_asked(db, question);
    const struct offer *offer = offers_find(&offers, "aws", type);
    REQUIRE(offer != NULL);
    return *offer;
}

static inline void expect_price(const struct price_at *at, const char *text)
{
    EXPECT_HAS(*at, (price.text, text), (why_not, ""));
    EXPECT(at->price.nanos > 0);
}

static inline void expect_none(const struct price_at *at, const char *why_not)
{
    EXPECT_HAS(*at, (price.nanos, 0), (price.text, ""), (why_not, why_not));
}

/* What a person, or a document, said of a price: it holds from `said->source_us` on. With text
 * NULL there is none from then on. */
static inline void put_price(struct db *db, const char *feed, const char *provider,
                             const struct said *said)
{
    struct price price = price_said(said);

    snprintf(price.provider, sizeof price.provider, "%s", provider);
    snprintf(price.feed, sizeof price.feed, "%s", feed);
    price.fetched_us = price.source_us;
    EXPECT_OK(prices_put(db, &price, 1, &err));
}

#define PUT(db, feed, provider, ...)                                                             \
    put_price((db), (feed), (provider), &(const struct said)P(__VA_ARGS__))
