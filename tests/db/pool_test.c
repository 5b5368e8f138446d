#include "db/pool.h"

#include "tests/db/database.h"
#include "tests/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static void nap(void)
{
    const struct timespec time = {.tv_nsec = 2000000};

    nanosleep(&time, NULL);
}

static struct db_pool *open_pool(const struct folder *folder, size_t size)
{
    struct error err = {0};
    struct db_pool *pool = db_pool_open(folder->file, size, &err);

    EXPECT_STR(err.message, "");
    REQUIRE(pool);
    return pool;
}

TEST_IN_FOLDER(every_loan_is_a_connection_of_its_own)
{
    struct db_pool *pool = open_pool(folder, 3);
    struct db_loan loans[3];

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++)
            loans[i] = db_borrow(pool);
        EXPECT(loans[0].db != loans[1].db && loans[1].db != loans[2].db &&
               loans[0].db != loans[2].db);
        for (int i = 0; i < 3; i++) {
            EXPECT_ROWS(loans[i].db, 0, "runs");
            db_loan_end(&loans[i]);
            EXPECT(loans[i].db == NULL);
            db_loan_end(&loans[i]); /* a second end gives nothing back twice */
        }
    }
    db_pool_free(pool);
}

struct borrower {
    struct db_pool *pool;
    struct db *got;
    atomic_bool started, done;
};

static void *borrow(void *argument)
{
    struct borrower *borrower = argument;

    atomic_store(&borrower->started, true);
    AUTO(db_loan_end) struct db_loan loan = db_borrow(borrower->pool);
    borrower->got = loan.db;
    atomic_store(&borrower->done, true);
    return NULL;
}

TEST_IN_FOLDER(a_thread_without_a_connection_waits_for_the_next)
{
    struct borrower borrower = {.pool = open_pool(folder, 1)};
    struct db_loan loan = db_borrow(borrower.pool);
    struct db *only = loan.db;
    pthread_t thread;

    EXPECT(pthread_create(&thread, NULL, borrow, &borrower) == 0);
    while (!atomic_load(&borrower.started))
        nap();
    for (int i = 0; i < 10; i++)
        nap();
    EXPECT(!atomic_load(&borrower.done));
    db_loan_end(&loan);
    pthread_join(thread, NULL);
    EXPECT(borrower.got == only);
    db_pool_free(borrower.pool);
}

struct crowd {
    struct db_pool *pool;
    atomic_int inside, most, turns;
};

static void *take_turns(void *argument)
{
    struct crowd *crowd = argument;

    for (int i = 0; i < 50; i++) {
        AUTO(db_loan_end) struct db_loan loan = db_borrow(crowd->pool);
        int inside = atomic_fetch_add(&crowd->inside, 1) + 1;
        int most = atomic_load(&crowd->most);

        while (inside > most && !atomic_compare_exchange_weak(&crowd->most, &most, inside))
            ;
        if (rows_in(loan.db, "runs") == 0)
            atomic_fetch_add(&crowd->turns, 1);
        atomic_fetch_sub(&crowd->inside, 1);
    }
    return NULL;
}

TEST_IN_FOLDER(many_threads_share_two_connections_and_each_gets_one)
{
    struct crowd crowd = {.pool = open_pool(folder, 2)};

    run_threads(6, take_turns, &crowd, 0);
    EXPECT_INT(atomic_load(&crowd.turns), 300);
    EXPECT(atomic_load(&crowd.most) <= 2);
    db_pool_free(crowd.pool);
}

TEST_IN_FOLDER(a_pool_that_cannot_open_its_file_says_why)
{
    /* A folder is no database. */
    EXPECT_ERROR_SAYS(db_pool_open(folder->path, 2, &err), ERROR_INTERNAL, folder->path);
    db_pool_free(NULL);
}
