#include "db/schema.h"

#include "common/bytes.h"
#include "db/prices/feed_rows.h"
#include "db/runs/step_rows.h"
#include "db/runs/voids.h"
#include "tests/db/database.h"

#define SCHEMA_TEXT                                                                              \
    "SELECT group_concat(type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, ''),"    \
    " char(10)) FROM (SELECT * FROM sqlite_schema ORDER BY type, name)"

/* What was in a database of version 1 and later. */
static const char old_rows[] =
    "INSERT INTO runs (number, id, state, spec, engine, workload, created_us, steps,"
    " samples_per_second, idempotency_key) VALUES"
    " (1, 'old 1', 'queued', '{}', 'native', 'mlp', 5, 0, NULL, 'key'),"
    " (2, 'old 2', 'running', '{}', 'native', 'mlp', 6, 0, NULL, NULL),"
    " (7, 'old 7', 'finished', '{}', 'native', 'mlp', 7, 2, 12.5, NULL);"
    "INSERT INTO run_labels (key, value, run) VALUES ('a', 'b', 1), ('a', 'c', 7);"
    "INSERT INTO steps (run, position, nanoseconds, loss) VALUES (7, 0, 10, 0.5), (7, 1, 11, "
    "0.25);";

/* A spec as version 2 stored it, with a label that looks like the place of a new field, and what
 * today's writer makes of it. */
#define OLD_SPEC                                                                                 \
    "{\"workload\":\"mlp\",\"engine\":\"native\",\"precision\":\"f32\",\"batch_size\":32,"       \
    "\"layout\":\"auto\",\"threads\":0,\"warmup_steps\":\"auto\",\"steps\":\"auto\","            \
    "\"max_seconds\":120,\"seed\":1,\"labels\":{\"labels\":\",\\\"labels\\\":{\"}}"

static struct db *open_version(const struct folder *folder, int version)
{
    struct error err = {0};
    struct db *db = db_open_version(folder->file, version, &err);

    EXPECT_STR(err.message, "");
    if (!db)
        exit(test_result());
    return db;
}

static void expect_todays_schema(struct db *db)
{
    static char fresh_text[24000], text[24000];
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *fresh = open_database(&folder);

    text_of(fresh, SCHEMA_TEXT, sizeof fresh_text, fresh_text);
    text_of(db, SCHEMA_TEXT, sizeof text, text);
    EXPECT(strlen(text) > 500 && strlen(text) < sizeof text - 1);
    EXPECT_STR(text, fresh_text);
    EXPECT_INT(number_of(db, "PRAGMA user_version"), schema_version);
    EXPECT_INT(number_of(db, "PRAGMA application_id"), number_of(fresh, "PRAGMA application_id"));
}

static void expect_old_rows(struct db *db)
{
    EXPECT_INT(number_of(db, "SELECT count(*) FROM runs"), 3);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM runs WHERE id = 'old ' || number"), 3);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM runs WHERE state = 'finished' AND number = 7"
                             " AND samples_per_second = 12.5 AND steps = 2"),
               1);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM run_labels"), 2);
    EXPECT_INT(number_of(db, "SELECT sum(nanoseconds) FROM steps WHERE run = 7"), 21);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM pragma_foreign_key_check()"), 0);
}

static void every_earlier_version_becomes_todays(void)
{
    EXPECT(schema_version >= 3);
    for (int version = 0; version <= schema_version; version++) {
        AUTO(folder_remove) struct folder folder = folder_make();
        struct db *old = open_version(&folder, version);

        EXPECT_INT(number_of(old, "PRAGMA user_version"), version);
        EXPECT(version == 0 || db_execute(old, old_rows, NULL));
        db_free(old);

        AUTO(db_freep) struct db *db = open_database(&folder);
        expect_todays_schema(db);
        if (version > 0)
            expect_old_rows(db);
    }
}

static void an_upgraded_database_works(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    struct db *old = open_version(&folder, 1);
    struct run_spec spec = run_spec_default();
    struct run_order order = order_of(&spec);

    EXPECT(db_execute(old, old_rows, NULL));
    db_free(old);
    AUTO(db_freep) struct db *db = open_database(&folder);
    AUTO(run_clear) struct run claimed = claim_run(db);
    EXPECT_INT(claimed.number, 1);
    AUTO(run_clear) struct run created = create_run(db, &order);
    EXPECT_INT(created.number, 8); /* numbers are never used again */
    EXPECT(!db_execute(db, "UPDATE runs SET state = 'queued' WHERE number = 7", NULL));
}

static void a_stored_spec_becomes_what_it_would_be_today(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    struct db *old = open_version(&folder, 2);
    struct run_spec spec;
    struct run_order order = order_of(&spec);
    AUTO(run_clear) struct run again = {0};
    bool replayed = false;

    EXPECT(db_execute(old,
                      "INSERT INTO runs (id, spec, engine, workload, created_us, idempotency_key)"
                      " VALUES ('old', '" OLD_SPEC "', 'native', 'mlp', 5, 'key')",
                      NULL));
    db_free(old);
    AUTO(db_freep) struct db *db = open_database(&folder);
    AUTO(run_clear) struct run run = find_run(db, "old");
    EXPECT(run_spec_from_text(OLD_SPEC, strlen(OLD_SPEC), &spec, NULL));
    AUTO(freep) char *text = run_spec_to_text(&spec);
    EXPECT_STR(run.spec_text, text);
    EXPECT(strstr(text, "\"plan\":\"auto\"") != NULL);

    order.idempotency_key = "key"; /* a repeated request after the upgrade gets the same run */
    EXPECT(runs_create(db, &order, &again, &replayed, NULL));
    EXPECT(replayed);
}

static void old_runs_and_steps_have_no_details(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    struct db *old = open_version(&folder, 2);
    AUTO(steps_free) struct steps steps = {0};
    AUTO(freep) char *implementations = NULL;

    EXPECT(db_execute(old, old_rows, NULL));
    db_free(old);
    AUTO(db_freep) struct db *db = open_database(&folder);
    AUTO(run_clear) struct run run = find_run(db, "old 7");
    EXPECT(run.engine_details == NULL && run.samples == 0 && run.peak_memory_bytes == 0);
    EXPECT(runs_implementations(db, "old 7", &implementations, NULL));
    EXPECT(implementations == NULL);
    EXPECT(step_rows_load(db, 7, 0, 10, &steps, NULL));
    EXPECT_INT((long long)steps.count, 2);
    EXPECT(!step_split_is_known(&steps.items[1].split));
}

/* Their warm-up was five steps or the requested number, and they had no verdict. */
static void old_numbers_stay_what_they_were(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    struct db *old = open_version(&folder, 3);

    EXPECT(db_execute(
        old,
        "INSERT INTO runs (id, state, spec, engine, workload, created_us, measured_steps,"
        " measured_seconds, samples_per_second, median_step_seconds, ended_by) VALUES"
        " ('auto', 'finished', '{\"warmup_steps\":\"auto\",\"labels\":{}}', 'x', 'mlp', 5, 30,"
        " 2, 12.5, 0.1, 'enough'),"
        " ('seven', 'finished', '{\"warmup_steps\":7,\"labels\":{}}', 'x', 'mlp', 5, 30,"
        " 2, 12.5, 0.1, 'all_steps'),"
        " ('failed', 'failed', '{\"warmup_steps\":7,\"labels\":{}}', 'x', 'mlp', 5, NULL,"
        " NULL, NULL, NULL, NULL)",
        NULL));
    db_free(old);
    AUTO(db_freep) struct db *db = open_database(&folder);
    AUTO(run_clear) struct run detected = find_run(db, "auto"), seven = find_run(db, "seven");
    AUTO(run_clear) struct run failed = find_run(db, "failed");
    EXPECT_INT(detected.summary.first_measured, 5);
    EXPECT_STR(detected.ended_by, "enough");
    EXPECT_INT(seven.summary.first_measured, 7);
    EXPECT_NEAR(seven.summary.samples_per_second, 12.5, 0);
    EXPECT_INT(failed.summary.first_measured, 0);
    EXPECT(!seven.summary.throughput.known && seven.summary_text == NULL);
    EXPECT_INT(seven.validity, VALIDITY_UNKNOWN);
    EXPECT_STR(seven.machine, "");
    EXPECT_STR(seven.sweep.text, "");
}

/* Version 5 brought prices, which no run had before. */
static void runs_of_version_4_are_kept_and_have_no_price(void)
{
    static const char all_rows[] =
        "SELECT group_concat(line) FROM (SELECT json_array(id, state, spec, created_us, steps,"
        " samples_per_second, median_step_seconds, idempotency_key, first_measured, summary,"
        " validity, machine) AS line FROM runs ORDER BY number)";
    AUTO(folder_remove) struct folder folder = folder_make();
    struct db *old = open_version(&folder, 4);
    char before[2000], after[2000];

    EXPECT(db_execute(old, old_rows, NULL));
    EXPECT(db_execute(
        old, "UPDATE runs SET first_measured = 5, summary = '{\"a\":1}' WHERE number = 7", NULL));
    text_of(old, all_rows, sizeof before, before);
    EXPECT(strlen(before) > 100);
    db_free(old);
    AUTO(db_freep) struct db *db = open_database(&folder);
    text_of(db, all_rows, sizeof after, after);
    EXPECT_STR(after, before);
    expect_old_rows(db);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM runs WHERE price NOT NULL"), 0);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM price_series"), 0);
    EXPECT(db_execute(
        db,
        "INSERT INTO price_series (number, feed, scope, provider, region, zone,"
        " instance_type, kind, currency, since_us)"
        " VALUES (1, '', '', '', '', '', '', 'spot', '', 1);"
        "INSERT INTO prices (series, since_us, nanos, text, reference, source_us, fetched_us)"
        " VALUES (1, 1, 1, '', '', 0, 0), (1, 2, NULL, '', '', 0, 0)",
        NULL));
    EXPECT(!db_execute(db,
                       "INSERT INTO prices (series, since_us, nanos, text, reference, source_us,"
                       " fetched_us) VALUES (1, 3, 0, '', '', 0, 0)",
                       NULL));
    EXPECT(!db_execute(db, "UPDATE price_series SET nanos = 0", NULL)); /* no price is NULL */
}

/* Version 7 brought a state, by a change of the table's text and of nothing else. */
static void a_run_of_any_version_may_be_preempted(void)
{
    for (int version = 1; version <= schema_version; version++) {
        AUTO(folder_remove) struct folder folder = folder_make();
        struct db *old = open_version(&folder, version);

        EXPECT(db_execute(old, old_rows, NULL));
        db_free(old);
        AUTO(db_freep) struct db *db = open_database(&folder);
        static const char *const refused[] = {
            "UPDATE runs SET state = 'preempted' WHERE number = 1", /* queued */
            "UPDATE runs SET state = 'preempted' WHERE number = 7", /* finished */
            "UPDATE runs SET state = 'taken' WHERE number = 2",
            "INSERT INTO runs (id, state, spec, engine, workload, created_us)"
            " VALUES ('x', 'taken', '{}', 'native', 'mlp', 5)",
            "INSERT INTO runs (id, state, spec, engine, workload, created_us, samples_per_second)"
            " VALUES ('x', 'preempted', '{}', 'native', 'mlp', 5, 12.5)"};
        for (size_t i = 0; i < COUNT(refused); i++)
            EXPECT(!db_execute(db, refused[i], NULL));
        EXPECT(db_execute(db, "UPDATE runs SET state = 'preempted' WHERE number = 2", NULL));
        EXPECT(!db_execute(db, "UPDATE runs SET state = 'running' WHERE number = 2", NULL));
        EXPECT_INT(number_of(db, "SELECT count(*) FROM runs WHERE state = 'preempted'"), 1);
        char verdict[100];
        text_of(db, "PRAGMA integrity_check", sizeof verdict, verdict);
        EXPECT_STR(verdict, "ok");
        EXPECT_INT(number_of(db, "SELECT count(*) FROM pragma_foreign_key_check()"), 0);
    }
}

static void two_connections_may_upgrade_at_once(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *one = open_version(&folder, 0), *two = open_version(&folder, 1);

    EXPECT(schema_migrate_to(one, schema_version, NULL));
    EXPECT(schema_migrate_to(two, schema_version, NULL));
    expect_todays_schema(one);
    expect_todays_schema(two);
}

static void read_whole(const char *path, struct bytes *bytes)
{
    AUTO(fclosep) FILE *file = fopen(path, "re");
    char piece[4096];
    size_t length;

    EXPECT(file != NULL);
    while (file && (length = fread(piece, 1, sizeof piece, file)) > 0)
        EXPECT(bytes_add(bytes, piece, length));
}

static int files_in(const struct folder *folder)
{
    DIR *files = opendir(folder->path);
    struct dirent *entry;
    int count = 0;

    while (files && (entry = readdir(files)) != NULL)
        count += entry->d_name[0] != '.';
    if (files)
        closedir(files);
    return count;
}

static void expect_refused_untouched(const struct folder *folder, const char *words)
{
    AUTO(bytes_free) struct bytes before = {.limit = 1 << 20}, after = {.limit = 1 << 20};
    struct error err = {0};

    read_whole(folder->file, &before);
    EXPECT(db_open(folder->file, &err) == NULL);
    EXPECT_INT(err.kind, ERROR_INTERNAL);
    if (!strstr(err.message, words))
        EXPECT_STR(err.message, words);
    read_whole(folder->file, &after);
    EXPECT(before.used == after.used && memcmp(before.data, after.data, before.used) == 0);
    EXPECT_INT(files_in(folder), 1);
    db_forget_damage();
}

static void make_foreign(const struct folder *folder, const char *sql)
{
    sqlite3 *handle = NULL;

    EXPECT_INT(sqlite3_open(folder->file, &handle), SQLITE_OK);
    EXPECT_INT(sqlite3_exec(handle, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(handle);
}

static void a_database_of_another_program_is_left_alone(void)
{
    static const char *const theirs[] = {
        "CREATE TABLE songs (title TEXT); INSERT INTO songs VALUES ('Penny Lane')",
        "PRAGMA application_id = 1196444487; CREATE TABLE gpkg (x)",
        "PRAGMA application_id = 1196444487",
        "PRAGMA user_version = 1; CREATE TABLE runs (number INTEGER PRIMARY KEY)",
        "PRAGMA journal_mode = WAL; CREATE TABLE songs (title TEXT)",
    };

    for (size_t i = 0; i < COUNT(theirs); i++) {
        AUTO(folder_remove) struct folder folder = folder_make();

        make_foreign(&folder, theirs[i]);
        expect_refused_untouched(&folder, "belongs to another program");
    }
}

static void a_file_that_is_no_database_is_left_alone(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    FILE *file = fopen(folder.file, "we");

    for (int i = 0; file && i < 100; i++)
        fprintf(file, "Dear diary, this is line %d.\n", i);
    fclosep(&file);
    expect_refused_untouched(&folder, "not a database");
    db_forget_damage(); /* the next test has another file */
}

static void a_newer_version_is_left_alone(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    char sql[64];
    struct db *db = open_database(&folder);

    EXPECT(db_execute(db, old_rows, NULL));
    snprintf(sql, sizeof sql, "PRAGMA user_version = %d", schema_version + 1);
    EXPECT(db_execute(db, sql, NULL));
    db_free(db);
    expect_refused_untouched(&folder, "use a newer one");
}

static void a_version_that_cannot_be_is_left_alone(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    struct db *db = open_database(&folder);

    EXPECT(db_execute(db, "PRAGMA user_version = -1", NULL));
    db_free(db);
    expect_refused_untouched(&folder, "schema version -1");
}

static void an_empty_file_becomes_a_database(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    FILE *file = fopen(folder.file, "we");

    fclosep(&file);
    AUTO(db_freep) struct db *db = open_database(&folder);
    expect_todays_schema(db);
}

/* Version 10 wrote the tables of prices and discounts anew, with what withdraws a row. */
static void prices_and_discounts_of_version_9_hold_as_they_did(void)
{
    static const char all_prices[] =
        "SELECT group_concat(line) FROM (SELECT json_array(series, since_us, nanos, text,"
        " reference, source_us, fetched_us) AS line FROM prices ORDER BY series, since_us)";
    static const char all_discounts[] =
        "SELECT group_concat(line) FROM (SELECT json_array(provider, family, kind, since_us,"
        " factor, note) AS line FROM discounts ORDER BY since_us, family)";
    AUTO(folder_remove) struct folder folder = folder_make();
    struct db *old = open_version(&folder, 9);
    char before[2][1000], after[2][1000];

    EXPECT(db_execute(
        old,
        "INSERT INTO price_series (number, feed, scope, provider, region, zone, instance_type,"
        " kind, currency, nanos, since_us) VALUES (3, 'typed', '', '', '', '', 'a', 'typed',"
        " 'USD', 7, 20), (4, 'f', 's', '', '', '', 'a', 'spot', 'USD', NULL, 30);"
        "INSERT INTO prices VALUES (4, 30, NULL, '', '', 0, 31), (3, 10, 5, '5', 'r', 9, 11),"
        " (3, 20, 7, '7', '', 0, 21);"
        "INSERT INTO discounts VALUES ('aws', '', 'spot', 5, 0.5, 'n'),"
        " ('aws', 'c7i', 'on_demand', 6, NULL, '')",
        NULL));
    text_of(old, all_prices, sizeof before[0], before[0]);
    text_of(old, all_discounts, sizeof before[1], before[1]);
    db_free(old);
    AUTO(db_freep) struct db *db = open_database(&folder);
    text_of(db, all_prices, sizeof after[0], after[0]);
    text_of(db, all_discounts, sizeof after[1], after[1]);
    EXPECT(strlen(before[0]) > 50 && strlen(before[1]) > 50);
    EXPECT_STR(after[0], before[0]);
    EXPECT_STR(after[1], before[1]);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM prices WHERE withdrawn_us < (SELECT"
                             " max(withdrawn_us) FROM discounts) OR withdrawn_by NOT NULL"),
               0);
    EXPECT_INT(number_of(db, "SELECT min(withdrawn_us) = 9223372036854775807 FROM discounts"), 1);
}

/* A 304 would have confirmed the price of before. */
static void what_version_12_held_back_is_asked_for_again(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    struct db *old = open_version(&folder, 12);
    struct feed_row row;

    EXPECT(db_execute(
        old,
        "INSERT INTO price_series VALUES (1, 'f', 'one', 'aws', 'r', '', 'a', 'spot', 'USD', 1,"
        " 2, 30), (2, 'f', 'two', 'aws', 'r', '', 'a', 'spot', 'USD', 1, 2, NULL);"
        "INSERT INTO feed_states VALUES ('f', 'one', '', 'ok', '', 5, 5, 5, 0, 'e', 'l', 'm', "
        "200,"
        " 1, 1, 0, '0 0 0 0'), ('f', 'two', '', 'ok', '', 5, 5, 5, 0, 'e', 'l', 'm', 200, 1, 1, "
        "0,"
        " '0 0 0 0')",
        NULL));
    db_free(old);
    AUTO(db_freep) struct db *db = open_database(&folder);
    EXPECT(feed_rows_find(db, "f", "one", &row, NULL));
    EXPECT_INT(row.held, 1);
    EXPECT_INT(row.doubt.since_us, 0);
    EXPECT_STR(row.etag, "");
    EXPECT_STR(row.last_modified, "");
    EXPECT_STR(row.mark, "");
    EXPECT(feed_rows_find(db, "f", "two", &row, NULL));
    EXPECT_INT(row.held, 0);
    EXPECT_STR(row.etag, "e");
    EXPECT_STR(row.mark, "m");
    EXPECT_INT(number_of(db, "SELECT held_us FROM price_series WHERE number = 1"), 5);
    EXPECT_INT(number_of(db, "SELECT held_us IS NULL FROM price_series WHERE number = 2"), 1);
}

/* Runs of every earlier version can be voided; a run has one void in force at most. */
static void a_run_of_any_version_may_be_voided(void)
{
    for (int version = 1; version < schema_version; version++) {
        AUTO(folder_remove) struct folder folder = folder_make();
        struct db *old = open_version(&folder, version);
        const struct taken_back because = {.at_us = 5, .reason = "a typo"};
        AUTO(run_clear) struct run voided = {0}, lifted = {0};
        struct error err = {0};
        bool changed = false;

        EXPECT(db_execute(old, old_rows, NULL));
        db_free(old);
        AUTO(db_freep) struct db *db = open_database(&folder);
        long long contender = number_of(db, "SELECT ifnull(contender, 0) FROM runs WHERE number ="
                                            " 7");
        EXPECT(voids_put(db, "old 7", &because, &voided, &changed, &err));
        EXPECT_STR(err.message, "");
        EXPECT(changed);
        EXPECT_INT(number_of(db, "SELECT count(contender) FROM runs"), 0);
        EXPECT(!db_execute(
            db, "INSERT INTO voids (run, at_us, who, reason) VALUES (7, 9, '', '')", NULL));
        EXPECT(voids_lift(db, "old 7", &because, &lifted, &changed, NULL));
        EXPECT_INT(number_of(db, "SELECT ifnull(contender, 0) FROM runs WHERE number = 7"),
                   contender);
    }
}

int main(void)
{
    RUN(every_earlier_version_becomes_todays);
    RUN(an_upgraded_database_works);
    RUN(a_stored_spec_becomes_what_it_would_be_today);
    RUN(old_runs_and_steps_have_no_details);
    RUN(old_numbers_stay_what_they_were);
    RUN(runs_of_version_4_are_kept_and_have_no_price);
    RUN(a_run_of_any_version_may_be_preempted);
    RUN(two_connections_may_upgrade_at_once);
    RUN(a_database_of_another_program_is_left_alone);
    RUN(a_file_that_is_no_database_is_left_alone);
    RUN(a_newer_version_is_left_alone);
    RUN(a_version_that_cannot_be_is_left_alone);
    RUN(an_empty_file_becomes_a_database);
    RUN(prices_and_discounts_of_version_9_hold_as_they_did);
    RUN(a_run_of_any_version_may_be_voided);
    RUN(what_version_12_held_back_is_asked_for_again);
    return test_result();
}
