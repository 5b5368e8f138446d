/* What types cost in the regions where runs were measured: complete for the standings that are
 * lent with them, whatever comes meanwhile. */
#include "answers/compare/homes.h"

#include "answers/compare/comparison_cache.h"
#include "db/db_open.h"
#include "tests/answers/compare/borrowed.h"
#include "tests/db/finished.h"
#include "tests/db/offers.h"

#include <pthread.h>

#define RUNS 40

static const struct offers_question at_home = {
    .regions = {"eu-north-1"}, .at_us = THEN_US, .is_now = true, .at_home = true};

static void read_prices(struct db *db)
{
    READ(db, 0, P("m5.large", "0.1"), P("m5.large", "0.5", .region = "us-east-1"),
         P("m5.large", "0.7", .region = "us-west-2"), P("c5.large", "0.9"));
}

/* On demand at home; 0 where none is known there, -1 where it is priced with the question. */
static double price_of(const struct comparison_loan *loan, const struct offers_question *question,
                       const struct contender *contender)
{
    const char *region = home_region(question, contender);
    const struct offer *offer = region ? homes_find(loan->homes, region, contender) : NULL;

    if (!region)
        return -1;
    return offer && offer->on_demand->price.nanos ? (double)offer->on_demand->price.nanos / 1e9
                                                  : 0;
}

TEST_WITH_DATABASE(a_contender_is_priced_where_its_newest_run_was)
{
    AUTO(comparison_cache_freep) struct comparison_cache *cache = comparison_cache_new();
    struct offers_question elsewhere = at_home;

    read_prices(db);
    ENDED(db, 100, .provider = "aws", .region = "us-east-1");
    {
        AUTO(comparison_cache_return) struct comparison_loan loan = borrow(cache, db, &at_home);

        EXPECT_INT((long long)loan.homes->count, 1);
        EXPECT_NEAR(price_of(&loan, &at_home, &loan.standings->list[0]), 0.5, 0);
        elsewhere.at_home = false; /* regions were asked for */
        EXPECT_NEAR(price_of(&loan, &elsewhere, &loan.standings->list[0]), -1, 0);
    }
    ENDED(db, 100, .provider = "aws", .region = "us-west-2");
    {
        AUTO(comparison_cache_return) struct comparison_loan loan = borrow(cache, db, &at_home);

        EXPECT_INT((long long)loan.standings->count, 1);
        EXPECT_NEAR(price_of(&loan, &at_home, &loan.standings->list[0]), 0.7, 0);
    }
    ENDED(db, 100, .provider = "aws", .region = "eu-north-1");
    ENDED(db, 100, .provider = "aws", .instance = "c5.large", .region = "us-west-2");
    {
        AUTO(comparison_cache_return) struct comparison_loan loan = borrow(cache, db, &at_home);

        EXPECT_INT((long long)loan.standings->count, 2);
        EXPECT_NEAR(price_of(&loan, &at_home, &loan.standings->list[0]), -1, 0); /* its own */
        EXPECT_NEAR(price_of(&loan, &at_home, &loan.standings->list[1]), 0, 0);
    }
}

TEST_WITH_DATABASE(more_questions_than_keep_their_homes_are_all_answered)
{
    AUTO(comparison_cache_freep) struct comparison_cache *cache = comparison_cache_new();

    read_prices(db);
    ENDED(db, 100, .provider = "aws", .region = "us-east-1");
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 7; i++) {
            struct offers_question question = at_home;
            char other[24];

            snprintf(other, sizeof other, "place-%d", i);
            question.regions[1] = other;
            AUTO(comparison_cache_return)
            struct comparison_loan loan = borrow(cache, db, &question);
            EXPECT_NEAR(price_of(&loan, &question, &loan.standings->list[0]), 0.5, 0);
        }
}

struct crowd {
    struct comparison_cache *cache;
    const char *file;
    atomic_bool stop;
};

static void *ask_often(void *user)
{
    struct crowd *crowd = user;
    AUTO(db_freep) struct db *db = db_open(crowd->file, NULL);

    EXPECT(db != NULL);
    for (int i = 0; db && !atomic_load(&crowd->stop); i++) {
        struct offers_question question = at_home;
        char other[24];

        snprintf(other, sizeof other, "place-%d", i % 5);
        question.regions[1] = other;
        AUTO(comparison_cache_return)
        struct comparison_loan loan = borrow(crowd->cache, db, &question);
        for (size_t k = 0; k < loan.standings->count; k++)
            EXPECT_NEAR(price_of(&loan, &question, &loan.standings->list[k]), 0.5, 0);
    }
    return NULL;
}

TEST(threads_always_find_all_homes)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *db = open_database(&folder);
    AUTO(comparison_cache_freep) struct comparison_cache *cache = comparison_cache_new();
    struct crowd crowd = {.cache = cache, .file = folder.file};
    pthread_t threads[2];

    do_not_sync(db);
    read_prices(db);
    for (size_t i = 0; i < COUNT(threads); i++)
        EXPECT_INT(pthread_create(&threads[i], NULL, ask_often, &crowd), 0);
    for (int i = 0; i < RUNS; i++) {
        char stratum[17];

        snprintf(stratum, sizeof stratum, "%016x", i);
        ENDED(db, 100, .provider = "aws", .region = "us-east-1", .stratum = stratum);
    }
    atomic_store(&crowd.stop, true);
    for (size_t i = 0; i < COUNT(threads); i++)
        pthread_join(threads[i], NULL);
}
