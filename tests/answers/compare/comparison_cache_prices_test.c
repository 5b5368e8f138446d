/* What is kept in memory for comparisons is what the database says: of runs and of prices. */
#include "answers/compare/comparison_cache.h"

#include "db/contenders/contenders.h"
#include "db/db_open.h"
#include "tests/answers/compare/borrowed.h"
#include "tests/db/offers.h"

#include <pthread.h>
#include <stdatomic.h>

/* A contender without a run that counts: enough to be seen. */
static void add_contender(struct db *db, const char *instance)
{
    const struct contender_key key = {.workload = "mlp",
                                      .engine = "native",
                                      .configuration = "{}",
                                      .provider = "aws",
                                      .instance = instance,
                                      .stratum = ""};
    AUTO(transaction_end) struct transaction change = {0};
    long long number;

    EXPECT(transaction_begin(&change, db, DB_RELAXED, NULL));
    EXPECT(revision_touch_runs(db, NULL));
    EXPECT(contenders_touch(db, &key, &number, NULL));
    EXPECT(transaction_commit(&change, NULL));
}

TEST_WITH_DATABASE(only_what_is_about_prices_moves_their_revision)
{
    long long prices = 0, later = 0, revision = 0;

    READ(db, 0, P("a.large", "1"));
    EXPECT(revision_read_prices(db, &prices, NULL));
    EXPECT(revision_read(db, &revision, NULL));
    EXPECT_INT(prices, revision);
    add_contender(db, "a.large");
    EXPECT(revision_read_prices(db, &later, NULL));
    EXPECT_INT(later, prices);
    EXPECT(revision_read(db, &later, NULL));
    EXPECT_INT(later, revision + 1);
    READ(db, 10, P("a.large", "1")); /* nothing new, but it is confirmed */
    EXPECT(revision_read_prices(db, &later, NULL));
    EXPECT_INT(later, revision + 2);
}

TEST_WITH_DATABASE(runs_that_come_leave_prices_in_memory)
{
    AUTO(comparison_cache_freep) struct comparison_cache *cache = comparison_cache_new();
    const struct offers_question question = asked(10);
    const struct offer *list;

    READ(db, 0, P("a.large", "1"));
    add_contender(db, "a.large");
    {
        AUTO(comparison_cache_return) struct comparison_loan loan = borrow(cache, db, &question);

        EXPECT_INT((long long)loan.standings->count, 1);
        list = loan.offers->list;
    }
    add_contender(db, "b.large");
    AUTO(comparison_cache_return) struct comparison_loan loan = borrow(cache, db, &question);
    EXPECT_INT((long long)loan.standings->count, 2);
    EXPECT(loan.offers->list == list);
    const struct offer *offer = offers_find(loan.offers, "aws", "a.large");
    EXPECT(offer != NULL);
    if (offer)
        expect_price(offer->on_demand, "1");
}

/* What `loan` has for a.large: to be called before and after a price is entered. */
static void expect_loaned(struct comparison_cache *cache, struct db *db,
                          const struct offers_question *question, const char *price,
                          const char *typed)
{
    AUTO(comparison_cache_return) struct comparison_loan loan = borrow(cache, db, question);
    const struct offer *offer = offers_find(loan.offers, "aws", "a.large");

    REQUIRE(offer != NULL);
    expect_price(offer->on_demand, price);
    if (typed)
        expect_price(offer->typed, typed);
    else
        EXPECT(!offer->typed->price.nanos);
}

TEST_WITH_DATABASE(a_price_is_seen_as_soon_as_it_is_stored)
{
    AUTO(comparison_cache_freep) struct comparison_cache *cache = comparison_cache_new();
    struct offers_question now = asked(50), then = asked(50);

    then.is_now = false;
    READ(db, 0, P("a.large", "1"));
    expect_loaned(cache, db, &now, "1", NULL);
    expect_loaned(cache, db, &then, "1", NULL);
    PUT(db, "typed", "aws", "a.large", "3", .kind = PRICE_TYPED, .source_us = THEN_US);
    expect_loaned(cache, db, &now, "1", "3");
    expect_loaned(cache, db, &then, "1", "3");
    add_contender(db, "a.large"); /* what comes between hides nothing */
    READ(db, 20, P("a.large", "2"));
    add_contender(db, "b.large");
    expect_loaned(cache, db, &now, "2", "3");
    expect_loaned(cache, db, &then, "2", "3");
}

TEST_WITH_DATABASE(more_questions_than_there_is_room_for_are_all_answered)
{
    AUTO(comparison_cache_freep) struct comparison_cache *cache = comparison_cache_new();
    struct offers_question question = asked(0);

    question.is_now = false;
    for (int i = 0; i < 20; i++) {
        char price[16];

        snprintf(price, sizeof price, "%d", i + 1);
        READ(db, i * 10, P("a.large", price));
    }
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 20; i++) {
            char price[16];

            snprintf(price, sizeof price, "%d", i + 1);
            question.at_us = THEN_US + (i * 10 + 5) * SECOND_US;
            expect_loaned(cache, db, &question, price, NULL);
        }
}

#define PRICES 60
#define READERS 3

/* Who asks while prices and runs come. */
struct crowd {
    const struct folder *folder;
    struct comparison_cache *cache;
    atomic_int stored; /* the last price that is there for sure */
    atomic_int wrong;  /* answers that were older than that, or none */
};

static void *read_on(void *user)
{
    struct crowd *crowd = user;
    AUTO(db_freep) struct db *db = db_open(crowd->folder->file, NULL);
    struct offers_question question = asked(PRICES);
    char elsewhere[16];

    for (int i = 0; db && crowd->stored < PRICES; i++) {
        AUTO(comparison_cache_return) struct comparison_loan loan = {0};
        const int least = crowd->stored;

        snprintf(elsewhere, sizeof elsewhere, "place-%d",
                 i % 20); /* more than there is room for */
        question.regions[1] = elsewhere;
        if (!comparison_cache_borrow(crowd->cache, db, &question, &loan, NULL)) {
            crowd->wrong++;
            continue;
        }
        const struct offer *offer = offers_find(loan.offers, "aws", "a.large");
        if (!offer || strtol(offer->on_demand->price.text, NULL, 10) < least ||
            loan.standings->count < (size_t)least)
            crowd->wrong++;
    }
    crowd->wrong += db == NULL;
    return NULL;
}

TEST(a_request_sees_the_state_at_its_start)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *db = open_database(&folder);
    AUTO(comparison_cache_freep) struct comparison_cache *cache = comparison_cache_new();
    struct crowd crowd = {.folder = &folder, .cache = cache};
    pthread_t readers[READERS];

    READ(db, 0, P("a.large", "1"));
    for (int i = 0; i < READERS; i++)
        EXPECT_INT(pthread_create(&readers[i], NULL, read_on, &crowd), 0);
    for (int i = 1; i <= PRICES; i++) {
        char text[16];

        snprintf(text, sizeof text, "%d", i);
        add_contender(db, text);
        READ(db, i, P("a.large", text));
        crowd.stored = i;
    }
    for (int i = 0; i < READERS; i++)
        EXPECT_INT(pthread_join(readers[i], NULL), 0);
    EXPECT_INT(crowd.wrong, 0);
}
