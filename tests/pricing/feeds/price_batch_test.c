/* What one reading brought together: each price once, and no price where there are two. */
#include "pricing/feeds/price_batch.h"

#include "tests/test.h"

static struct price price_of(const char *type, const char *zone, const char *text)
{
    struct price price = {
        .provider = "aws", .region = "us-east-1", .kind = PRICE_SPOT, .currency = "USD"};

    snprintf(price.instance_type, sizeof price.instance_type, "%s", type);
    snprintf(price.zone, sizeof price.zone, "%s", zone);
    EXPECT(price_set(&price, text));
    return price;
}

/* A test that is given an empty batch. */
#define TEST_WITH_BATCH(name) TEST_GIVEN(name, struct price_batch *all, with_batch)

static void with_batch(void (*test)(struct price_batch *all))
{
    AUTO(price_batch_freep) struct price_batch *all = price_batch_new("a-feed", 77);

    test(all);
}

static void add(struct price_batch *batch, const struct price *price, enum price_batch_twin twin)
{
    EXPECT_OK(price_batch_add(batch, price, twin, &err));
}

static long long nanos_of(const struct price_batch *batch, const struct price *like)
{
    size_t place = 9999;
    const struct price *price = price_batch_find(batch, like, &place);

    EXPECT(price ? place < price_batch_places(batch) : place == 9999);
    return price ? price->nanos : 0;
}

TEST_WITH_BATCH(a_price_gets_the_name_and_the_time_of_the_feed)
{
    struct price price = price_of("m5", "", "1.5");
    size_t position = 0;

    snprintf(price.feed, sizeof price.feed, "another");
    price.fetched_us = 3;
    add(all, &price, TWIN_IS_AMBIGUOUS);
    const struct price *found = price_batch_next(all, &position);
    EXPECT(found != NULL);
    EXPECT_STR(found ? found->feed : "", "a-feed");
    EXPECT_INT(found ? found->fetched_us : 0, 77);
    EXPECT_INT((long long)position, 1);
    EXPECT(price_batch_next(all, &position) == NULL);
}

TEST_WITH_BATCH(two_prices_of_one_thing_are_none_and_so_are_three)
{
    const struct price first = price_of("m5", "", "1"), second = price_of("m5", "", "2");
    size_t position = 0;

    add(all, &first, TWIN_MAY_BE_EQUAL);
    add(all, &second, TWIN_MAY_BE_EQUAL);
    EXPECT_INT((long long)price_batch_count(all), 0);
    EXPECT_INT(price_batch_facts(all)->tally.ambiguous, 2);
    add(all, &first, TWIN_MAY_BE_EQUAL); /* equal to one of them, and still no price */
    EXPECT_INT((long long)price_batch_count(all), 0);
    EXPECT_INT(price_batch_facts(all)->tally.ambiguous, 3);
    EXPECT_INT(nanos_of(all, &first), 0);
    EXPECT(price_batch_next(all, &position) == NULL);
    EXPECT_INT((long long)price_batch_places(all), 1);
}

TEST_WITH_BATCH(equal_twins_are_one_only_where_that_may_be)
{
    const struct price first = price_of("m5", "", "1"), same = price_of("m5", "", "1.00");

    add(all, &first, TWIN_MAY_BE_EQUAL);
    add(all, &same, TWIN_MAY_BE_EQUAL);
    EXPECT_INT(nanos_of(all, &first), 1000000000);
    EXPECT_INT(price_batch_facts(all)->tally.ambiguous, 0);
    price_batch_empty(all);
    add(all, &first, TWIN_IS_AMBIGUOUS);
    add(all, &same, TWIN_IS_AMBIGUOUS);
    EXPECT_INT(nanos_of(all, &first), 0);
    EXPECT_INT(price_batch_facts(all)->tally.ambiguous, 2);
}

TEST_WITH_BATCH(whatever_differs_is_no_twin)
{
    struct price prices[8];

    for (size_t i = 0; i < COUNT(prices); i++) {
        prices[i] = price_of("m5", "", "1");
        prices[i].nanos += (long long)i;
    }
    snprintf(prices[1].provider, sizeof prices[1].provider, "gcp");
    snprintf(prices[2].region, sizeof prices[2].region, "us-east-2");
    snprintf(prices[3].zone, sizeof prices[3].zone, "us-east-1a");
    snprintf(prices[4].instance_type, sizeof prices[4].instance_type, "m6");
    prices[5].kind = PRICE_ON_DEMAND;
    snprintf(prices[6].currency, sizeof prices[6].currency, "EUR");
    prices[7].kind = PRICE_TYPED;
    for (size_t i = 0; i < COUNT(prices); i++)
        add(all, &prices[i], TWIN_IS_AMBIGUOUS);
    EXPECT_INT((long long)price_batch_count(all), (long long)COUNT(prices));
    for (size_t i = 0; i < COUNT(prices); i++)
        EXPECT_INT(nanos_of(all, &prices[i]), prices[i].nanos);
}

TEST_WITH_BATCH(thousands_of_prices_are_all_found_again)
{
    struct price price;
    size_t position = 0, seen = 0;
    char name[20];

    for (int i = 0; i < 5000; i++) {
        snprintf(name, sizeof name, "type-%d", i);
        price = price_of(name, "", "1");
        price.nanos = i + 1;
        add(all, &price, TWIN_IS_AMBIGUOUS);
        if (i % 5 == 0)
            add(all, &price, TWIN_IS_AMBIGUOUS);
    }
    EXPECT_INT((long long)price_batch_count(all), 4000);
    EXPECT_INT((long long)price_batch_places(all), 5000);
    EXPECT_INT(price_batch_facts(all)->tally.ambiguous, 2000);
    for (int i = 0; i < 5000; i++) {
        snprintf(name, sizeof name, "type-%d", i);
        price = price_of(name, "", "1");
        EXPECT_INT(nanos_of(all, &price), i % 5 == 0 ? 0 : i + 1);
    }
    for (const struct price *next; (next = price_batch_next(all, &position)) != NULL; seen++)
        EXPECT(next->nanos > 0);
    EXPECT_INT((long long)seen, 4000);
}

TEST_WITH_BATCH(more_than_any_feed_has_is_too_much)
{
    struct price price = price_of("", "", "1");
    bool ok = true;

    for (int i = 0; ok && i < PRICE_BATCH_PRICES_MAX; i++) {
        snprintf(price.instance_type, sizeof price.instance_type, "%d", i);
        ok = price_batch_add(all, &price, TWIN_IS_AMBIGUOUS, NULL);
    }
    EXPECT(ok);
    snprintf(price.instance_type, sizeof price.instance_type, "one more");
    EXPECT_ERROR_MESSAGE(price_batch_add(all, &price, TWIN_IS_AMBIGUOUS, &err), ERROR_UPSTREAM,
                         "the feed has more than 400000 prices");
    EXPECT_INT((long long)price_batch_count(all), PRICE_BATCH_PRICES_MAX);
}

TEST_WITH_BATCH(an_emptied_basket_remembers_nothing)
{
    const struct price price = price_of("m5", "", "1");
    const struct instance_type type = {.provider = "aws", .name = "m5", .vcpus = 2};

    price_batch_add_type(all, &type);
    price_batch_add_interruption(all, &(struct interruption){.band = "5-10%"});
    for (int i = 0; i < 3; i++)
        add(all, &price, TWIN_IS_AMBIGUOUS);
    snprintf(price_batch_facts(all)->mark, sizeof price_batch_facts(all)->mark, "v1");
    price_batch_facts(all)->source_us = 5;
    price_batch_empty(all);
    EXPECT_INT((long long)price_batch_places(all), 0);
    EXPECT_INT((long long)price_batch_count(all), 0);
    EXPECT_INT((long long)price_batch_type_count(all), 0);
    EXPECT_INT((long long)price_batch_interruption_count(all), 0);
    EXPECT_HAS(*price_batch_facts(all), (tally.ambiguous, 0), (source_us, 0), (mark, ""));
    EXPECT_INT(nanos_of(all, &price), 0);
    add(all, &price, TWIN_IS_AMBIGUOUS); /* no twin of what was there */
    EXPECT_INT(nanos_of(all, &price), 1000000000);
}

TEST_WITH_BATCH(a_type_gets_what_it_lacked_and_keeps_what_it_had)
{
    const struct instance_type first = {.provider = "aws", .name = "m5", .vcpus = 2};
    const struct instance_type more = {.provider = "aws",
                                       .name = "m5",
                                       .vcpus = 4,
                                       .memory_gib = 8,
                                       .architecture = "x86_64",
                                       .accelerator = "T4"};
    const struct instance_type other = {.provider = "gcp", .name = "m5"};

    price_batch_add_type(all, &first);
    price_batch_add_type(all, &more);
    price_batch_add_type(all, &other);
    EXPECT_INT((long long)price_batch_type_count(all), 2);
    const struct instance_type *type = price_batch_type(all, 0);
    EXPECT_HAS(*type, (vcpus, 2), (memory_gib, 8), (architecture, "x86_64"), (accelerator, "T4"));
    EXPECT_HAS(*price_batch_type(all, 1), (provider, "gcp"), (architecture, ""));
}

TEST_WITH_BATCH(hundreds_of_types_are_each_there_once)
{
    for (int i = 0; i < 2000; i++) {
        struct instance_type type = {.provider = "aws", .vcpus = 1};

        snprintf(type.name, sizeof type.name, "type-%d", i % 1000);
        price_batch_add_type(all, &type);
    }
    EXPECT_INT((long long)price_batch_type_count(all), 1000);
}

TEST_WITH_BATCH(a_price_that_is_dropped_is_none_and_counted_once)
{
    const struct price price = {.instance_type = "m5", .kind = PRICE_SPOT, .nanos = 7};
    size_t place;

    EXPECT(price_batch_add(all, &price, TWIN_IS_AMBIGUOUS, NULL));
    EXPECT(price_batch_find(all, &price, &place));
    price_batch_drop_expensive(all, place);
    price_batch_drop_expensive(all, place);
    EXPECT(!price_batch_find(all, &price, &place));
    EXPECT_INT((long long)price_batch_count(all), 0);
    EXPECT_INT((long long)price_batch_places(all), 1);
    EXPECT_INT(price_batch_facts(all)->tally.expensive, 1);
}

TEST_WITH_BATCH(a_band_is_named_at_the_end)
{
    price_batch_add_interruption(all, &(struct interruption){.instance_type = "m5"});
    price_batch_name_band(all, 0, (const char[16]){">20%"});
    EXPECT_HAS(*price_batch_interruption(all, 0), (band, ">20%"), (instance_type, "m5"));
}
