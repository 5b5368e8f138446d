/* How long a comparison is kept; that it is what the database says of runs and prices is in
 * comparison_cache_prices_test.c. */
#include "answers/compare/comparison_cache.h"

#include "db/db_open.h"
#include "tests/answers/compare/borrowed.h"
#include "tests/db/finished.h"
#include "tests/db/prices.h"

#include <pthread.h>

static const struct offers_question now = {
    .regions = {"eu-north-1"}, .at_us = THEN_US, .is_now = true};

/* On demand; 0 where there is none. */
static double price_of(const struct comparison_loan *loan, const char *instance)
{
    const struct offer *offer = offers_find(loan->offers, "aws", instance);

    return offer && offer->on_demand->price.nanos ? (double)offer->on_demand->price.nanos / 1e9
                                                  : 0;
}

TEST_WITH_DATABASE(an_unchanged_comparison_comes_from_the_cache)
{
    AUTO(comparison_cache_freep) struct comparison_cache *cache = comparison_cache_new();
    struct offers_question later = now;
    const struct offers *first;

    do_not_sync(db);
    READ(db, 0, P("m5.large", "0.1"));
    ENDED(db, 100);
    {
        AUTO(comparison_cache_return) struct comparison_loan loan = borrow(cache, db, &now);

        first = loan.offers;
    }
    execute(db, "DELETE FROM prices; DELETE FROM price_series");
    AUTO(comparison_cache_return) struct comparison_loan again = borrow(cache, db, &now);
    later.at_us += 10 * SECOND_US; /* within the minute */
    AUTO(comparison_cache_return) struct comparison_loan soon = borrow(cache, db, &later);
    EXPECT(soon.offers == first);
    EXPECT(again.offers == first); /* behind its back: nothing says that they changed */
    EXPECT_NEAR(price_of(&again, "m5.large"), 0.1, 1e-12);
    comparison_cache_return(&soon);
    comparison_cache_return(&again);
    comparison_cache_return(&again); /* once is enough, twice is fine */
    execute(db, "UPDATE revision SET number = number + 1, prices = number + 1");
    AUTO(comparison_cache_return) struct comparison_loan touched = borrow(cache, db, &now);
    EXPECT_NEAR(price_of(&touched, "m5.large"), 0, 0);
}

TEST_WITH_DATABASE(each_question_has_its_own_offers)
{
    static const struct offers_question others[] = {
        {.regions = {"us-east-1"}, .at_us = THEN_US, .is_now = true},
        {.regions = {"us-east-1", "eu-north-1"}, .at_us = THEN_US, .is_now = true},
        {.regions = {"eu-north-1", "us-east-1"}, .at_us = THEN_US, .is_now = true},
        {.regions = {"eu-north-1"}, .zone = "z", .at_us = THEN_US, .is_now = true},
        {.regions = {"eu-north-1"}, .at_us = THEN_US, .is_now = false},
        {.regions = {"eu-north-1"}, .at_us = THEN_US - 60 * SECOND_US, .is_now = false},
    };
    static const double wanted[] = {0.5, 0.5, 0.1, 0.1, 0.1, 0};
    AUTO(comparison_cache_freep) struct comparison_cache *cache = comparison_cache_new();

    do_not_sync(db);
    READ(db, 0, P("m5.large", "0.1"), P("m5.large", "0.5", .region = "us-east-1"));
    for (int turn = 0; turn < 3; turn++)
        for (size_t i = 0; i < COUNT(others); i++) {
            AUTO(comparison_cache_return) struct comparison_loan one = borrow(cache, db, &now);
            const struct offers *mine = one.offers;

            EXPECT_NEAR(price_of(&one, "m5.large"), 0.1, 1e-12);
            comparison_cache_return(&one);
            AUTO(comparison_cache_return)
            struct comparison_loan other = borrow(cache, db, &others[i]);
            EXPECT(other.offers != mine);
            EXPECT_NEAR(price_of(&other, "m5.large"), wanted[i], 1e-12);
        }
}

static double spot_of(const struct comparison_loan *loan, const char *instance)
{
    const struct offer *offer = offers_find(loan->offers, "aws", instance);

    return offer && offer->spot->price.nanos ? (double)offer->spot->price.nanos / 1e9 : 0;
}

TEST_WITH_DATABASE(a_zone_and_a_moment_are_parts_of_a_question)
{
    AUTO(comparison_cache_freep) struct comparison_cache *cache = comparison_cache_new();
    struct offers_question question = now;

    READ(db, 0, P("m5.large", "0.1", .kind = PRICE_SPOT, .zone = "y"),
         P("m5.large", "0.2", .kind = PRICE_SPOT, .zone = "z"));
    question.zone = "y";
    AUTO(comparison_cache_return) struct comparison_loan y = borrow(cache, db, &question);
    EXPECT_NEAR(spot_of(&y, "m5.large"), 0.1, 1e-12);
    comparison_cache_return(&y);
    question.zone = "z";
    AUTO(comparison_cache_return) struct comparison_loan z = borrow(cache, db, &question);
    EXPECT_NEAR(spot_of(&z, "m5.large"), 0.2, 1e-12);
    comparison_cache_return(&z);
    question.is_now = false;
    question.at_us = THEN_US / (60 * SECOND_US); /* soon after 1970, not the minute of now */
    AUTO(comparison_cache_return) struct comparison_loan old = borrow(cache, db, &question);
    EXPECT_NEAR(spot_of(&old, "m5.large"), 0, 0);
}

/* Prices for now age; prices for a given moment do not. */
TEST_WITH_DATABASE(a_minute_later_they_are_looked_at_again)
{
    AUTO(comparison_cache_freep) struct comparison_cache *cache = comparison_cache_new();
    struct offers_question later = now;

    READ(db, 0, P("m5.large", "0.1"));
    {
        AUTO(comparison_cache_return) struct comparison_loan loan = borrow(cache, db, &now);

        EXPECT_NEAR(price_of(&loan, "m5.large"), 0.1, 1e-12);
    }
    later.at_us += 400LL * 86400 * SECOND_US;
    AUTO(comparison_cache_return) struct comparison_loan loan = borrow(cache, db, &later);
    EXPECT_NEAR(price_of(&loan, "m5.large"), 0, 0); /* expired */
}

TEST_WITH_DATABASE(too_long_a_question_is_refused)
{
    AUTO(comparison_cache_freep) struct comparison_cache *cache = comparison_cache_new();
    struct offers_question question = now;
    struct comparison_loan loan = {0};
    char region[500];

    memset(region, 'r', sizeof region);
    region[sizeof region - 1] = '\0';
    question.regions[0] = region;
    EXPECT_INVALID(comparison_cache_borrow(cache, db, &question, &loan, &err), "region");
    EXPECT(loan.cache == NULL);
}

TEST_WITH_DATABASE(a_database_that_fails_leaves_the_cache_as_it_was)
{
    AUTO(comparison_cache_freep) struct comparison_cache *cache = comparison_cache_new();
    struct comparison_loan loan = {0};
    struct error err = {0};

    ENDED(db, 100);
    execute(db, "ALTER TABLE price_series RENAME TO away");
    EXPECT(!comparison_cache_borrow(cache, db, &now, &loan, &err));
    EXPECT(err.message[0]);
    EXPECT(loan.cache == NULL); /* and no lock is held */
    comparison_cache_free(NULL);
    execute(db, "ALTER TABLE away RENAME TO price_series");
    AUTO(comparison_cache_return) struct comparison_loan later = borrow(cache, db, &now);
    EXPECT_INT((long long)later.standings->count, 1);
}

struct reader {
    struct comparison_cache *cache;
    const char *file;
    const char *region;
    double price;
    atomic_bool *stop;
};

/* Whatever happens meanwhile, each loan is whole: standings only grow, and each question has its
 * own price. */
static void *read_often(void *user)
{
    const struct reader *reader = user;
    const struct offers_question question = {
        .regions = {reader->region}, .at_us = THEN_US, .is_now = true};
    AUTO(db_freep) struct db *db = db_open(reader->file, NULL);
    long long revision = 0;

    EXPECT(db != NULL);
    while (db && !atomic_load(reader->stop)) {
        long long before = revision_of(db);
        AUTO(comparison_cache_return)
        struct comparison_loan loan = borrow(reader->cache, db, &question);

        EXPECT(loan.standings->revision >= revision);
        EXPECT(loan.standings->revision >= before); /* at least as new as the request */
        revision = loan.standings->revision;
        EXPECT_NEAR(price_of(&loan, "m5.large"), reader->price, 1e-12);
    }
    return NULL;
}

TEST(threads_may_share_it_while_runs_end)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *db = open_database(&folder);
    AUTO(comparison_cache_freep) struct comparison_cache *cache = comparison_cache_new();
    atomic_bool stop = false;
    struct reader readers[] = {{cache, folder.file, "eu-north-1", 0.1, &stop},
                               {cache, folder.file, "us-east-1", 0.5, &stop}};
    pthread_t threads[2];
    char instance[20];

    do_not_sync(db);
    READ(db, 0, P("m5.large", "0.1"), P("m5.large", "0.5", .region = "us-east-1"));
    for (size_t i = 0; i < COUNT(readers); i++)
        EXPECT_INT(pthread_create(&threads[i], NULL, read_often, &readers[i]), 0);
    for (int i = 0; i < 60; i++) {
        snprintf(instance, sizeof instance, "type-%d", i);
        ENDED(db, 100, .instance = instance);
    }
    atomic_store(&stop, true);
    for (size_t i = 0; i < COUNT(threads); i++)
        pthread_join(threads[i], NULL);
    AUTO(comparison_cache_return) struct comparison_loan loan = borrow(cache, db, &now);
    EXPECT_INT((long long)loan.standings->count, 60);
}
