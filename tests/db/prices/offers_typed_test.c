/* Prices of people and of publications; and who finds an offer. */
#include "tests/db/offers.h"

#define TYPED(db, provider, type, text, ...)                                                     \
    PUT(db, "typed", provider, type, text, .kind = PRICE_TYPED, .source_us = THEN_US, __VA_ARGS__)

TEST_WITH_QUESTION(a_typed_price_that_says_where_goes_before_an_open_one, 10)
{
    TYPED(db, "", "box", "1", .region = "");
    struct offers_question two = *question;
    two.regions[0] = "r-2";
    two.regions[1] = "eu-north-1";
    READ(db, 0, P("box", "9"));
    struct offer offer = offer_asked(db, "box", question);
    expect_price(offer.typed, "1");
    expect_price(offer.on_demand, "9"); /* both are returned: the reader decides */
    TYPED(db, "aws", "box", "2", .region = "");
    expect_price(offer_asked(db, "box", question).typed, "2");
    TYPED(db, "", "box", "3", .region = "eu-north-1");
    expect_price(offer_asked(db, "box", question).typed, "3");
    TYPED(db, "aws", "box", "4", .region = "eu-north-1");
    expect_price(offer_asked(db, "box", question).typed, "4");
    TYPED(db, "aws", "box", "5", .region = "r-2");
    TYPED(db, "gcp", "box", "6", .region = "eu-north-1");
    expect_price(offer_asked(db, "box", question).typed, "4");
    offer = offer_asked(db, "box", &two);
    expect_price(offer.typed, "5");
    EXPECT_STR(offer.typed->price.region, "r-2");
    TYPED(db, "aws", "box", "7", .region = "eu-north-1", .zone = "z");
    expect_price(offer_asked(db, "box", question).typed,
                 "4"); /* of a zone outside the question */
    question->zone = "z";
    expect_price(offer_asked(db, "box", question).typed, "7");
}

TEST_WITH_QUESTION(only_a_file_may_leave_open_in_which_region_a_machine_is_rented, 10)
{
    static const struct source file = {.name = PRICE_FILE_FEED};

    READ_OF(db, &file, 0, P("box", "1", .region = ""), P("crate", "2", .region = ""),
            P("crate", "3"), P("box", "0.5", .region = "", .kind = PRICE_SPOT));
    READ(db, 0, P("chest", "5", .region = ""));
    struct offer offer = offer_asked(db, "box", question);
    expect_price(offer.on_demand, "1");
    EXPECT_STR(offer.on_demand->price.region, "");
    expect_price(offer.spot, "0.5");
    expect_price(offer_asked(db, "crate", question).on_demand, "3");
    AUTO(offers_free) struct offers all = offers_asked(db, question);
    EXPECT(!offers_find(&all, "aws", "chest"));
}

TEST_WITH_QUESTION(a_typed_price_does_not_age, 0)
{
    TYPED(db, "aws", "box", "1", .region = "");
    question->at_us = THEN_US + 4000 * DAY_US;
    struct offer offer = offer_asked(db, "box", question);
    expect_price(offer.typed, "1");
    EXPECT_HAS(*offer.typed, (freshness, PRICE_FRESH), (since_us, THEN_US),
               (price.fetched_us, THEN_US), (price.feed, "typed"), (price.region, ""));
}

TEST_WITH_QUESTION(a_type_with_prices_elsewhere_is_listed_without_a_price, 10)
{
    TYPED(db, "aws", "box", "1", .region = "elsewhere");
    struct offer offer = offer_asked(db, "box", question);
    expect_none(offer.typed, "no price of it was typed in eu-north-1");
    expect_none(offer.on_demand, "no feed has an on-demand price of it in eu-north-1");
}

TEST_WITH_QUESTION(a_sheet_of_prices_may_have_typed_ones_too, 10)
{
    static const struct source sheet = {.name = "price-file"};

    READ_OF(db, &sheet, 0, P("box", "1", .kind = PRICE_OWN, .region = ""),
            P("box", "2", .region = ""), P("far", "3", .kind = PRICE_TYPED, .region = "far"));
    struct offer offer = offer_asked(db, "box", question);
    expect_price(offer.typed, "1");
    EXPECT_INT(offer.typed->price.kind, PRICE_OWN);
    expect_price(offer.on_demand, "2");
    EXPECT(!offer_asked(db, "far", question).typed->price.nanos);
}

TEST_WITH_QUESTION(a_published_price_is_of_its_time_and_of_no_region, 0)
{
    PUT(db, "published", "aws", "p2", "0.9", .region = "r-1", .source_us = NOON_US);
    PUT(db, "published", "aws", "p2", "0.6", .region = "r-1", .source_us = THEN_US);
    PUT(db, "published", "aws", "p2", "0.2", .region = "r-2", .kind = PRICE_SPOT,
        .source_us = NOON_US);
    PUT(db, "published", "aws", "p2", "0.1", .kind = PRICE_TYPED,
        .source_us = NOON_US); /* no feed publishes that */
    for (int now = 0; now < 2; now++) {
        question->is_now = now;
        question->at_us = THEN_US + 4000 * DAY_US;
        struct offer offer = offer_asked(db, "p2", question);
        expect_price(offer.published_on_demand, "0.6");
        EXPECT_STR(offer.published_on_demand->price.region, "r-1");
        EXPECT_INT(offer.published_on_demand->freshness, PRICE_EXPIRED);
        EXPECT(price_at_is_published(offer.published_on_demand));
        expect_price(offer.published_spot, "0.2");
        EXPECT(price_at_is_published(offer.published_spot));
        EXPECT(offer.published_spot->low <= 0); /* of the week before nothing was published */
        EXPECT(!offer.on_demand->price.nanos && !offer.spot->price.nanos &&
               !offer.typed->price.nanos);
        question->at_us = THEN_US - 1;
        offer = offer_asked(db, "p2", question);
        expect_price(offer.published_on_demand, "0.9");
    }
    PUT(db, "published", "aws", "p2", NULL, .region = "r-1",
        .source_us = THEN_US + 60 * SECOND_US);
    question->at_us = THEN_US + 60 * SECOND_US;
    struct offer offer = offer_asked(db, "p2", question);
    expect_none(offer.published_on_demand, "it was not published with an on-demand price");
    expect_price(offer.published_spot, "0.2");
}

TEST_WITH_QUESTION(what_was_published_last_wins_and_two_that_differ_are_none, 60)
{
    PUT(db, "published", "aws", "p2", "1", .region = "r-1", .source_us = NOON_US);
    PUT(db, "published", "aws", "p2", "2", .region = "r-2", .source_us = NOON_US);
    expect_none(offer_asked(db, "p2", question).published_on_demand,
                "several prices were published for that moment");
    PUT(db, "published", "aws", "p2", "3", .region = "r-3", .source_us = NOON_US + 1);
    expect_price(offer_asked(db, "p2", question).published_on_demand, "3");
    PUT(db, "published", "aws", "p2", "3", .region = "r-4", .source_us = NOON_US + 1);
    expect_price(offer_asked(db, "p2", question).published_on_demand, "3");
}

TEST_WITH_QUESTION(an_offer_is_found_by_its_instance_and_provider, 10)
{
    static const char *const types[] = {"m5.large", "a", "zz", "m5", "m5.larger"};
    char long_name[200];

    for (size_t i = 0; i < COUNT(types); i++)
        TYPED(db, "aws", types[i], "1", .region = "");
    TYPED(db, "gcp", "m5", "2", .region = "");
    AUTO(offers_free) struct offers offers = offers_asked(db, question);
    EXPECT_INT((long long)offers.count, 6);
    for (size_t i = 0; i < COUNT(types); i++) {
        const struct offer *offer = offers_find(&offers, "aws", types[i]);
        const struct offer *only = offers_find(&offers, "", types[i]);

        EXPECT(offer && strcmp(offer->instance, types[i]) == 0);
        EXPECT(only == (i == 3 ? NULL : offer)); /* two have an m5 */
        EXPECT(i == 0 || strcmp(offers.list[i - 1].instance, offers.list[i].instance) <= 0);
    }
    const struct offer *google = offers_find(&offers, "gcp", "m5");
    EXPECT(google && strcmp(google->typed->price.text, "2") == 0);
    EXPECT(offers_find(&offers, "azure", "m5") == NULL);
    EXPECT(offers_find(&offers, "gcp", "m5.large") == NULL);
    EXPECT(offers_find(&offers, "aws", "m5.") == NULL);
    EXPECT(offers_find(&offers, "aws", "") == NULL);
    EXPECT(offers_find(&offers, "", "zzz") == NULL);
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    EXPECT(offers_find(&offers, "aws", long_name) == NULL);
    EXPECT(offers_find(&offers, long_name, "m5") == NULL);
    EXPECT(offers_find(&offers, "", long_name) == NULL);
    /* The longest names there are, and one letter more. */
    long_name[63] = '\0';
    TYPED(db, "fifteen-letters", long_name, "1", .region = "");
    AUTO(offers_free) struct offers longer = offers_asked(db, question);
    EXPECT(offers_find(&longer, "fifteen-letters", long_name) != NULL);
    EXPECT(offers_find(&longer, "fifteen-letters1", long_name) == NULL);
    long_name[63] = 'x';
    long_name[64] = '\0';
    EXPECT(offers_find(&longer, "fifteen-letters", long_name) == NULL);
}

TEST_WITH_QUESTION(a_price_entered_for_all_providers_is_found_for_each, 10)
{
    TYPED(db, "", "box", "1", .region = "");
    TYPED(db, "", "m5.large", "2", .region = "");
    TYPED(db, "", "sp", "3", .region = "nowhere");
    READ(db, 0, P("m5.large", "9"));
    AUTO(offers_free) struct offers offers = offers_asked(db, question);
    const struct offer *offer = offers_find(&offers, "us", "box");
    EXPECT(offer && strcmp(offer->typed->price.text, "1") == 0);
    EXPECT(offers_find(&offers, "", "box") == offer);
    offer = offers_find(&offers, "", "m5.large");
    EXPECT(offer && strcmp(offer->provider, "aws") == 0 && offer->on_demand->price.nanos);
    EXPECT_STR(offer ? offer->typed->price.text : "", "2");
    offer = offers_find(&offers, "us", "m5.large");
    EXPECT(offer && offer->typed->price.nanos && !offer->on_demand->price.nanos);
    EXPECT(offers_find(&offers, "us", "sp") == NULL);
    offer = offers_find(&offers, "", "sp"); /* only this one has it */
    EXPECT(offer && !offer->typed->price.nanos);
}

/* A sheet may leave its provider open: such a price belongs to no provider, not to the one in
 * the question. */
TEST_WITH_QUESTION(a_price_without_a_provider_does_not_apply_to_every_provider, 10)
{
    static const struct source more = {.name = "more"};

    READ(db, 0, P("box", "1"), P("other", "1"), P("shared", "1"),
         P("sold", "3", .kind = PRICE_SPOT));
    execute(db, "UPDATE price_series SET provider = '' WHERE instance_type IN"
                " ('box', 'shared', 'sold')");
    READ_OF(db, &more, 10, P("other", "1"), P("shared", "5", .kind = PRICE_SPOT), P("sold", "4"));
    TYPED(db, "", "box", "2", .region = "");
    TYPED(db, "", "shared", "2", .region = "");
    AUTO(offers_free) struct offers offers = offers_asked(db, question);
    const struct offer *offer = offers_find(&offers, "", "box");
    EXPECT(offer && offer->on_demand->price.nanos && offer->typed->price.nanos);
    EXPECT(offers_find(&offers, "gcp", "box") == NULL);
    offer = offers_find(&offers, "aws", "shared");
    EXPECT(offer && offer->spot->price.nanos && offer->typed->price.nanos);
    EXPECT(offer && !offer->on_demand->price.nanos);
    EXPECT(offers_find(&offers, "", "shared") == NULL); /* there are two */
}

TEST_WITH_QUESTION(of_two_kinds_the_first_that_was_typed_is_the_price, 60)
{
    TYPED(db, "aws", "box", "1", .region = "");
    PUT(db, "typed", "aws", "box", "2", .kind = PRICE_OWN, .source_us = THEN_US + 5,
        .region = "");
    PUT(db, "typed", "aws", "bax", "3", .kind = PRICE_OWN, .source_us = THEN_US, .region = "");
    TYPED(db, "aws", "bax", "4", .region = "");
    struct offer offer = offer_asked(db, "box", question);
    expect_price(offer.typed, "1");
    EXPECT_INT(offer.typed->price.kind, PRICE_TYPED);
    offer = offer_asked(db, "bax", question);
    expect_price(offer.typed, "3");
    EXPECT_INT(offer.typed->price.kind, PRICE_OWN);
}
