#include "db/stmt.h"

#include "tests/db/database.h"

TEST_WITH_DATABASE(bound_values_are_read_back)
{
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, "SELECT ?, ?, ?, ?", NULL);

    stmt_integer(query, -9223372036854775807LL);
    stmt_real(query, 0.1);
    stmt_text(query, "it's \"text\"");
    stmt_text(query, NULL);
    EXPECT_INT(stmt_step(query, NULL), STMT_ROW);
    EXPECT_INT(stmt_column_integer(query, 0), -9223372036854775807LL);
    EXPECT_NEAR(stmt_column_real(query, 1), 0.1, 0);
    EXPECT_STR(stmt_column_text(query, 2), "it's \"text\"");
    EXPECT_INT(stmt_step(query, NULL), STMT_DONE);
}

TEST_WITH_DATABASE(null_reads_as_nothing)
{
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, "SELECT NULL, NULL, NULL", NULL);

    EXPECT_INT(stmt_step(query, NULL), STMT_ROW);
    EXPECT_INT(stmt_column_integer(query, 0), 0);
    EXPECT_NEAR(stmt_column_real(query, 1), 0, 0);
    EXPECT_STR(stmt_column_text(query, 2), "");
}

TEST_WITH_DATABASE(a_question_for_one_number_is_answered)
{
    long long number = 7;

    EXPECT_OK(stmt_number(db, "SELECT count(*) + 40 FROM runs", &number, &err));
    EXPECT_INT(number, 40);
    EXPECT_ERROR(stmt_number(db, "SELECT nothing FROM nowhere", &number, &err), ERROR_INTERNAL);
    EXPECT_INT(number, 40);
}

TEST_WITH_DATABASE(the_first_column_of_one_row_is_a_number_or_a_truth)
{
    AUTO(stmt_done) struct stmt *two = stmt_prepare(db, "SELECT 2", NULL);
    AUTO(stmt_done) struct stmt *zero = stmt_prepare(db, "SELECT 0", NULL);
    AUTO(stmt_done) struct stmt *broken = stmt_prepare(db, "SELECT nothing", NULL);
    long long number = 7;
    bool truth = true;

    EXPECT(stmt_take_number(two, &number, NULL));
    EXPECT_INT(number, 2);
    EXPECT(stmt_take_truth(zero, &truth, NULL));
    EXPECT(!truth);
    EXPECT(!stmt_take_number(broken, &number, NULL) && !stmt_take_truth(broken, &truth, NULL));
    EXPECT_INT(number, 2);
    EXPECT(!truth);
}

TEST_WITH_DATABASE(a_query_finds_a_row_or_none_or_fails)
{
    AUTO(stmt_done) struct stmt *one = stmt_prepare(db, "SELECT 0", NULL);
    AUTO(stmt_done) struct stmt *none = stmt_prepare(db, "SELECT 1 WHERE false", NULL);
    AUTO(stmt_done) struct stmt *broken = stmt_prepare(db, "SELECT nothing", NULL);
    bool found = false;

    EXPECT(stmt_finds(one, &found, NULL) && found);
    EXPECT(stmt_finds(none, &found, NULL) && !found);
    EXPECT(!stmt_finds(broken, &found, NULL));
}

TEST_WITH_DATABASE(a_statement_runs_with_one_parameter)
{
    execute(db, "CREATE TEMP TABLE words (number INTEGER, word TEXT)");
    EXPECT(stmt_run_number(db, "INSERT INTO words (number) VALUES (?)", 5, NULL));
    EXPECT(stmt_run_text(db, "UPDATE words SET word = ?", "five", NULL));
    EXPECT_ROWS(db, 1, "words WHERE number = 5 AND word = 'five'");
    EXPECT_ERROR(stmt_run_number(db, "DELETE FROM nowhere WHERE number = ?", 5, &err),
                 ERROR_INTERNAL);
    EXPECT(!stmt_run_text(db, "DELETE FROM nowhere WHERE word = ?", "five", NULL));
}

TEST_WITH_DATABASE(a_statement_that_cannot_be_prepared_fails_at_its_step)
{
    struct error err = {0};
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, "SELECT ?, ?, ? FROM nowhere", &err);

    stmt_integer(query, 1);
    stmt_real(query, 0.1);
    stmt_text(query, "text");
    EXPECT_INT(stmt_step(query, &err), STMT_FAILED);
    EXPECT(!stmt_run(query, &err));
    EXPECT_INT(err.kind, ERROR_INTERNAL);
    EXPECT_PART(err.message, "nowhere");
}

/* Each literal is another statement, and so is each that is still busy. */
TEST_WITH_DATABASE(there_is_no_limit_of_statements)
{
    struct stmt *busy[400];
    struct error err = {0};

    for (size_t i = 0; i < COUNT(busy); i++) {
        busy[i] = stmt_prepare(db, "SELECT ?", &err);
        EXPECT(busy[i] != NULL);
        if (!busy[i])
            return;
        stmt_integer(busy[i], (long long)i);
    }
    for (size_t i = 0; i < COUNT(busy); i++) {
        EXPECT_INT(stmt_step(busy[i], &err), STMT_ROW);
        EXPECT_INT(stmt_column_integer(busy[i], 0), (long long)i);
        stmt_done(&busy[i]);
    }
    EXPECT_STR(err.message, "");
}

TEST_WITH_DATABASE(wrong_sql_is_named_in_the_error)
{
    EXPECT_ERROR_SAYS(stmt_prepare(db, "SELECT nothing FROM nowhere", &err), ERROR_INTERNAL,
                      "SELECT nothing FROM nowhere");
}

TEST_WITH_DATABASE(a_failed_bind_comes_out_of_the_next_step)
{
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, "SELECT ?", NULL);
    struct error err = {0};

    stmt_integer(query, 1);
    stmt_integer(query, 2); /* there is no second ? */
    stmt_text(query, "nor a third");
    EXPECT_INT(stmt_step(query, &err), STMT_FAILED);
    EXPECT_INT(err.kind, ERROR_INTERNAL);
    EXPECT_PART(err.message, "SELECT ?");
}

TEST_WITH_DATABASE(a_failed_bind_is_forgotten_by_the_next_use)
{
    static const char sql[] = "SELECT ? + 1";
    struct stmt *query = stmt_prepare(db, sql, NULL);

    stmt_integer(query, 1);
    stmt_integer(query, 2);
    EXPECT_INT(stmt_step(query, NULL), STMT_FAILED);
    stmt_done(&query);
    query = stmt_prepare(db, sql, NULL);
    stmt_integer(query, 41);
    EXPECT_INT(stmt_step(query, NULL), STMT_ROW);
    EXPECT_INT(stmt_column_integer(query, 0), 42);
    stmt_done(&query);
}

TEST_WITH_DATABASE(a_statement_that_fails_does_not_look_finished)
{
    AUTO(stmt_done)
    struct stmt *insert = stmt_prepare(db, "INSERT INTO run_labels VALUES (?, ?, ?)", NULL);

    stmt_text(insert, "key");
    stmt_text(insert, "value");
    stmt_integer(insert, 1); /* no such run */
    EXPECT_ERROR(stmt_run(insert, &err), ERROR_INTERNAL);
    EXPECT_ROWS(db, 0, "run_labels");
}

TEST_WITH_DATABASE(a_statement_is_prepared_once_and_rewound_for_its_next_use)
{
    static const char sql[] = "SELECT ?, ?";
    size_t before = db->statement_count;

    for (int i = 0; i < 1000; i++) {
        AUTO(stmt_done) struct stmt *query = stmt_prepare(db, sql, NULL);

        stmt_integer(query, i);
        stmt_text(query, i == 0 ? "text" : NULL);
        EXPECT_INT(stmt_step(query, NULL), STMT_ROW);
        EXPECT_INT(stmt_column_integer(query, 0), i);
        EXPECT_STR(stmt_column_text(query, 1), i == 0 ? "text" : "");
    }
    EXPECT_INT((long long)(db->statement_count - before), 1);
}

TEST_WITH_DATABASE(a_statement_in_use_is_not_given_to_another)
{
    static const char sql[] = "SELECT ?";
    AUTO(stmt_done) struct stmt *outer = stmt_prepare(db, sql, NULL);
    AUTO(stmt_done) struct stmt *inner = stmt_prepare(db, sql, NULL);

    EXPECT(outer != inner);
    stmt_integer(outer, 1);
    stmt_integer(inner, 2);
    EXPECT_INT(stmt_step(outer, NULL), STMT_ROW);
    EXPECT_INT(stmt_step(inner, NULL), STMT_ROW);
    EXPECT_INT(stmt_column_integer(outer, 0), 1);
    EXPECT_INT(stmt_column_integer(inner, 0), 2);
}

TEST_WITH_DATABASE(a_running_statement_can_be_bound_and_run_again)
{
    execute(db, "CREATE TEMP TABLE numbers (number INTEGER PRIMARY KEY)");
    AUTO(stmt_done)
    struct stmt *insert = stmt_prepare(db, "INSERT INTO numbers VALUES (?)", NULL);
    for (int i = 1; i <= 10; i++) {
        stmt_integer(insert, i);
        EXPECT(stmt_run(insert, NULL));
    }
    stmt_integer(insert, 10);
    EXPECT(!stmt_run(insert, NULL));
    stmt_integer(insert, 11); /* after a failure too */
    EXPECT(stmt_run(insert, NULL));
    EXPECT_INT(number_of(db, "SELECT sum(number) FROM numbers"), 66);
}
