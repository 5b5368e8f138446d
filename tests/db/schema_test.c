#include "db/damage.h"
#include "db/db_open.h"

#include "db/checksum.h"
#include "pricing/price.h"
#include "tests/db/kept.h"
#include "tests/db/made_up_schema.h"

#define SCHEMA_TEXT                                                                              \
    "SELECT group_concat(type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, ''),"    \
    " char(10)) FROM (SELECT * FROM sqlite_schema ORDER BY type, name)"

/* Run 1 is queued, run 2 is running, run 7 has finished. */
static void fill(struct db *db)
{
    execute(db,
            "INSERT INTO runs (number, id, state, spec, engine, workload, created_us, started_us,"
            " steps, samples_per_second) VALUES"
            " (1, 'run 1', 'queued', '{}', 'native', 'mlp', 5, NULL, 0, NULL),"
            " (2, 'run 2', 'running', '{}', 'native', 'mlp', 6, 6, 0, NULL),"
            " (7, 'run 7', 'finished', '{}', 'native', 'mlp', 7, 7, 2, 12.5);"
            "INSERT INTO run_labels (key, value, run) VALUES ('a', 'b', 1), ('a', 'c', 7);"
            "INSERT INTO steps (run, position, nanoseconds, loss) VALUES (7, 0, 10, 0.5),"
            " (7, 1, 11, 0.25)");
}

static struct db *open_by(const struct folder *folder, const struct schema *schema)
{
    struct error err = {0};
    struct db *db = db_open_schema(folder->file, schema, &err);

    EXPECT_STR(err.message, "");
    REQUIRE(db);
    return db;
}

static void expect_schema(struct db *db, const struct schema *schema)
{
    static char fresh_text[24000], text[24000];
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *fresh = open_by(&folder, schema);

    text_of(fresh, SCHEMA_TEXT, sizeof fresh_text, fresh_text);
    text_of(db, SCHEMA_TEXT, sizeof text, text);
    EXPECT(strlen(text) > 500 && strlen(text) < sizeof text - 1);
    EXPECT_STR(text, fresh_text);
    EXPECT_INT(number_of(db, "PRAGMA user_version"), schema->version);
    EXPECT_INT(number_of(db, "PRAGMA application_id"), 0x70656e6e);
}

static void expect_rows(struct db *db)
{
    char verdict[100];

    EXPECT_ROWS(db, 3, "runs WHERE id = 'run ' || number");
    EXPECT_ROWS(db, 1,
                "runs WHERE state = 'finished' AND number = 7 AND samples_per_second = 12.5 AND"
                " steps = 2");
    EXPECT_ROWS(db, 2, "run_labels");
    EXPECT_INT(number_of(db, "SELECT sum(nanoseconds) FROM steps WHERE run = 7"), 21);
    EXPECT_ROWS(db, 0, "pragma_foreign_key_check()");
    text_of(db, "PRAGMA integrity_check", sizeof verdict, verdict);
    EXPECT_STR(verdict, "ok");
}

TEST(a_missing_or_empty_file_becomes_a_database)
{
    for (int empty = 0; empty < 2; empty++) {
        AUTO(folder_remove) struct folder folder = folder_make();
        FILE *file = empty ? fopen(folder.file, "we") : NULL;

        fclosep(&file);
        AUTO(db_freep) struct db *db = open_database(&folder);
        expect_schema(db, &schema_today);
        EXPECT_INT(number_of(db, "SELECT number + prices FROM revision"), 2);
    }
}

static void make_filled(const struct folder *folder)
{
    AUTO(db_freep) struct db *db = open_database(folder);

    fill(db);
}

TEST_IN_FOLDER(the_steps_that_are_missing_are_taken_once)
{
    make_filled(folder);
    for (int time = 0; time < 2; time++) {
        AUTO(db_freep) struct db *db = open_by(folder, &made_up_schema);

        expect_schema(db, &made_up_schema);
        expect_rows(db);
        EXPECT_INT(number_of(db, "SELECT sum(made_up) FROM runs"), 20);
        EXPECT_ROWS(db, 3, "made_up");
    }
}

TEST_IN_FOLDER(a_step_may_leave_checksums_to_the_upgrade)
{
    make_filled(folder);
    AUTO(db_freep) struct db *db = open_by(folder, &made_up_schema);
    EXPECT_INT(number_of(db, "SELECT sum(checksum IS NULL) FROM runs"), 2);
    EXPECT_INT(checksum_of(db, 7), CHECKSUM_HOLDS);
}

TEST(a_step_that_fails_leaves_everything_as_it_was)
{
    static const struct schema_step failing = {
        {"ALTER TABLE runs ADD COLUMN made_up INTEGER; DELETE FROM run_labels;",
         "CREATE TABLE runs (number INTEGER)"}};
    static const struct schema_step *const steps[] = {&schema_first, &made_up_step, &failing};
    static const struct schema schema = {steps, COUNT(steps)};
    AUTO(folder_remove) struct folder folder = folder_make();

    make_filled(&folder);
    EXPECT_ERROR(db_open_schema(folder.file, &schema, &err), ERROR_INTERNAL);
    AUTO(db_freep) struct db *db = open_database(&folder);
    expect_schema(db, &schema_today);
    expect_rows(db);
}

/* The other one, which upgrades when this one is about to take the lock. */
static int upgrade_other(unsigned event, void *other, void *statement, void *sql)
{
    (void)event;
    (void)statement;
    if (strcmp(sql, "BEGIN IMMEDIATE") == 0)
        EXPECT(schema_upgrade(other, &made_up_schema, NULL));
    return 0;
}

TEST_IN_FOLDER(two_processes_may_upgrade_at_once)
{
    AUTO(db_freep) struct db *one = open_database(folder), *two = open_database(folder);

    fill(one);
    sqlite3_trace_v2(two->handle, SQLITE_TRACE_STMT, upgrade_other, one);
    EXPECT_OK(schema_upgrade(two, &made_up_schema, &err));
    sqlite3_trace_v2(two->handle, 0, NULL, NULL);
    expect_schema(two, &made_up_schema);
    expect_rows(two);
    EXPECT_ROWS(two, 3, "made_up");
}

static void expect_refused_untouched(const struct folder *folder, const char *words)
{
    AUTO(bytes_free) struct bytes before = content_of(folder->file);

    EXPECT_ERROR_SAYS(db_open(folder->file, &err), ERROR_INTERNAL, words);
    EXPECT(has_content(folder->file, &before));
    EXPECT_INT(files_named(folder, "runs.db"), 1);
    db_forget_damage();
}

static void make_foreign(const struct folder *folder, const char *sql)
{
    sqlite3 *handle = NULL;

    EXPECT_INT(sqlite3_open(folder->file, &handle), SQLITE_OK);
    EXPECT_INT(sqlite3_exec(handle, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(handle);
}

TEST(a_database_of_another_program_is_left_alone)
{
    EACH_TEXT(sql, "CREATE TABLE songs (title TEXT); INSERT INTO songs VALUES ('Penny Lane')",
              "PRAGMA application_id = 1196444487; CREATE TABLE gpkg (x)",
              "PRAGMA application_id = 1196444487",
              "PRAGMA user_version = 1; CREATE TABLE runs (number INTEGER PRIMARY KEY)",
              "PRAGMA journal_mode = WAL; CREATE TABLE songs (title TEXT)") {
        AUTO(folder_remove) struct folder folder = folder_make();

        make_foreign(&folder, sql);
        expect_refused_untouched(&folder, "belongs to another program");
    }
}

TEST_IN_FOLDER(a_file_that_is_no_database_is_left_alone)
{
    FILE *file = fopen(folder->file, "we");

    for (int i = 0; file && i < 100; i++)
        fprintf(file, "Dear diary, this is line %d.\n", i);
    fclosep(&file);
    expect_refused_untouched(folder, "not a database");
}

TEST(a_version_that_is_newer_or_none_is_left_alone)
{
    const struct {
        int version;
        const char *words;
    } cases[] = {{schema_today.version + 1, "use a newer one"}, {-1, "schema version -1"}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO(folder_remove) struct folder folder = folder_make();
        struct db *db = open_database(&folder);

        fill(db);
        execute_with(db, "PRAGMA user_version = %d", cases[i].version);
        db_free(db);
        expect_refused_untouched(&folder, cases[i].words);
    }
}

#define ADD_SERIES                                                                               \
    "INSERT INTO price_series (feed, scope, provider, region, zone, instance_type, kind,"        \
    " currency, nanos, since_us) VALUES ('f', '', '', '', '', 'a', ?, 'USD', 1, 1)"

/* What SQLite lets in is what the program knows. */
TEST_WITH_DATABASE(a_price_has_a_kind_that_the_program_knows)
{
    for (int kind = 0; price_kind_names[kind]; kind++) {
        AUTO(stmt_done) struct stmt *add = stmt_prepare(db, ADD_SERIES, NULL);

        stmt_text(add, price_kind_names[kind]);
        EXPECT(stmt_run(add, NULL));
    }
    AUTO(stmt_done) struct stmt *unknown = stmt_prepare(db, ADD_SERIES, NULL);
    stmt_text(unknown, "reserved_5y_no_upfront");
    EXPECT(!stmt_run(unknown, NULL));
    execute(db, "UPDATE price_series SET nanos = NULL");
    EXPECT(!db_execute(db, "UPDATE price_series SET nanos = 0", NULL)); /* no price is NULL */
}
