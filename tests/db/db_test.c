#include "db/db.h"

#include "common/clock.h"
#include "tests/db/database.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

TEST_WITH_DATABASE(the_size_grows_with_what_is_stored)
{
    long long before = 0, after = 0;

    execute(db, "VACUUM"); /* migrations leave free pages */
    EXPECT(db_size(db, &before, NULL));
    EXPECT_INT(before, number_of(db, "PRAGMA page_count") * number_of(db, "PRAGMA page_size"));
    execute(db, "CREATE TABLE bulk AS SELECT randomblob(1000000) AS noise");
    EXPECT(db_size(db, &after, NULL));
    EXPECT(before >= 4096 && after - before >= 1000000 && after - before < 1100000);
}

TEST_WITH_DATABASE(an_open_database_is_as_we_mean_it)
{
    char mode[20];

    text_of(db, "PRAGMA journal_mode", sizeof mode, mode);
    EXPECT_STR(mode, "wal");
    EXPECT_INT(number_of(db, "PRAGMA foreign_keys"), 1);
}

TEST_WITH_DATABASE(a_commit_is_as_durable_as_was_asked)
{
    EACH(enum durability, wish, DB_RELAXED, DB_DURABLE, DB_DURABLE, DB_RELAXED) {
        AUTO(transaction_end) struct transaction change = {0};

        EXPECT(transaction_begin(&change, db, wish, NULL));
        EXPECT_INT(number_of(db, "PRAGMA synchronous"), wish == DB_DURABLE ? 2 : 1);
        EXPECT(transaction_commit(&change, NULL));
    }
}

static bool insert_run(struct db *db)
{
    return db_execute(db,
                      "INSERT INTO runs (id, spec, engine, workload, created_us)"
                      " VALUES ('x', '{}', 'e', 'w', 1)",
                      NULL);
}

TEST_WITH_DATABASE(a_transaction_that_is_not_committed_leaves_nothing)
{
    for (int committed = 0; committed < 2; committed++) {
        AUTO(transaction_end) struct transaction change = {0};

        EXPECT(transaction_begin(&change, db, DB_DURABLE, NULL));
        EXPECT(insert_run(db));
        EXPECT(!committed || transaction_commit(&change, NULL));
        transaction_end(&change);
        EXPECT_ROWS(db, committed, "runs");
        transaction_end(&change); /* a second end is fine */
    }
}

TEST_IN_FOLDER(what_is_read_in_a_transaction_is_of_one_moment)
{
    AUTO(db_freep) struct db *db = open_database(folder), *other = open_database(folder);
    AUTO(transaction_end) struct transaction moment = {0};

    EXPECT(transaction_begin_reading(&moment, db, NULL));
    EXPECT_ROWS(db, 0, "runs");
    EXPECT(insert_run(other)); /* a writer does not wait for a reader */
    EXPECT_ROWS(db, 0, "runs");
    transaction_end(&moment);
    EXPECT_ROWS(db, 1, "runs");
}

TEST(ending_nothing_is_fine)
{
    struct transaction none = {0};

    transaction_end(&none);
    db_free(NULL);
    EXPECT(none.db == NULL);
}

/* A backup reads for minutes; writers must not wait for it. */
TEST_IN_FOLDER(tidying_waits_for_no_reader)
{
    AUTO(db_freep) struct db *db = open_database(folder), *reader = open_database(folder);

    execute(reader, "BEGIN");
    EXPECT_ROWS(reader, 0, "runs");
    queue_runs(db, 1);
    db_set_patience(db, 3600 * 1000); /* if it waits, this test does not end */
    EXPECT_OK(db_tidy(db, &err));
    EXPECT_INT(number_of(db, "PRAGMA busy_timeout"), 5000);
    EXPECT_ROWS(reader, 0, "runs");
    execute(reader, "COMMIT");
    EXPECT_OK(db_tidy(db, &err));
    EXPECT_INT(number_of(db, "PRAGMA wal_checkpoint(PASSIVE)"), 0);
    EXPECT_ROWS(reader, 1, "runs");
}
