/* A database in a folder of its own, for one test. */
#pragma once

#include "db/checksum.h"
#include "db/connection.h"
#include "db/contenders/contenders.h"
#include "db/db.h"
#include "db/db_open.h"
#include "db/runs/runs.h"
#include "db/stmt.h"
#include "engine/spec/run_spec_text.h"
#include "tests/test.h"

#include <dirent.h>
#include <stdarg.h>
#include <sys/stat.h>

#define NOON_US 1700000000000000LL /* when these tests take place */

struct folder {
    char path[300];
    char file[320]; /* the database in it */
};

/* Everything in it is gone when the scope ends:
 *     AUTO(folder_remove) struct folder folder = folder_make(); */
static inline struct folder folder_make(void)
{
    /* In memory where there is such a place: waiting for a disk would be most of the time. */
    const char *parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    const char *asked = getenv("TMPDIR");
    struct folder folder;

    snprintf(folder.path, sizeof folder.path, "%.250s/pennyworth-XXXXXX",
             asked && *asked ? asked : parent);
    if (!mkdtemp(folder.path)) {
        perror(folder.path);
        exit(1);
    }
    snprintf(folder.file, sizeof folder.file, "%s/runs.db", folder.path);
    return folder;
}

static inline void folder_empty(const struct folder *folder)
{
    DIR *files = opendir(folder->path);
    struct dirent *entry;

    while (files && (entry = readdir(files)) != NULL)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(files), entry->d_name, 0);
    if (files)
        closedir(files);
}

static inline void folder_remove(struct folder *folder)
{
    folder_empty(folder);
    rmdir(folder->path);
}

/* A test that is given such a folder. */
#define TEST_IN_FOLDER(name) TEST_GIVEN(name, const struct folder *folder, in_folder)

static inline void in_folder(void (*test)(const struct folder *folder))
{
    AUTO(folder_remove) struct folder folder = folder_make();

    test(&folder);
}

static inline struct db *open_database(const struct folder *folder)
{
    struct error err = {0};
    struct db *db = db_open(folder->file, &err);

    EXPECT_STR(err.message, "");
    REQUIRE(db);
    return db;
}

/* A new database, which is gone when the scope ends. */
#define NEW_DATABASE(db)                                                                         \
    AUTO(folder_remove) struct folder db##_folder = folder_make();                               \
    AUTO(db_freep) struct db *db = open_database(&db##_folder)

/* A test that has one, `db`. */
#define TEST_WITH_DATABASE(name) TEST_GIVEN(name, struct db *db, with_database)

static inline void with_database(void (*test)(struct db *db))
{
    NEW_DATABASE(db);
    test(db);
}

/* Statements that must work. */
static inline void execute(struct db *db, const char *sql)
{
    EXPECT_OK(db_execute(db, sql, &err));
}

/* The same with values: execute_with(db, "DELETE FROM %s", table). */
__attribute__((format(printf, 2, 3))) static inline void execute_with(struct db *db,
                                                                      const char *format, ...)
{
    char sql[1200];
    va_list values;

    va_start(values, format);
    EXPECT((size_t)vsnprintf(sql, sizeof sql, format, values) < sizeof sql);
    va_end(values);
    execute(db, sql);
}

/* Adds to the text in an array of so many bytes. */
__attribute__((format(printf, 3, 4))) static inline void add_text(char *text, size_t size,
                                                                  const char *format, ...)
{
    size_t used = strlen(text);
    va_list values;

    va_start(values, format);
    vsnprintf(text + used, size - used, format, values);
    va_end(values);
}

/* Where a test makes many rows, it need not wait for the disk each time. */
static inline void do_not_sync(struct db *db)
{
    execute(db, "PRAGMA synchronous = OFF");
    db->synchronous = 2; /* so that a durable transaction leaves the pragma alone */
}

/* A database that is busy says so at once. */
static inline void do_not_wait(struct db *db)
{
    sqlite3_busy_timeout(db->handle, 0);
}

static inline enum checksum_state checksum_of(struct db *db, long long run)
{
    enum checksum_state state = CHECKSUM_MISSING;

    EXPECT_OK(checksum_look(db, run, &state, &err));
    return state;
}

/* The number that a query answers; -1 if it answers none. */
static inline long long number_of(struct db *db, const char *sql)
{
    sqlite3_stmt *query = NULL;
    long long number = -1;

    if (sqlite3_prepare_v2(db->handle, sql, -1, &query, NULL) == SQLITE_OK &&
        sqlite3_step(query) == SQLITE_ROW)
        number = sqlite3_column_int64(query, 0);
    sqlite3_finalize(query);
    return number;
}

/* How many rows are in a table; or in some of it: "runs WHERE steps = 1". */
static inline long long rows_in(struct db *db, const char *some)
{
    char sql[1000];

    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", some);
    return number_of(db, sql);
}

#define EXPECT_ROWS(db, count, some) EXPECT_INT(rows_in(db, some), count)

/* The first words that a query answers, cut to what fits. */
static inline void text_of(struct db *db, const char *sql, size_t size, char ret_text[])
{
    sqlite3_stmt *query = NULL;

    ret_text[0] = '\0';
    if (sqlite3_prepare_v2(db->handle, sql, -1, &query, NULL) == SQLITE_OK &&
        sqlite3_step(query) == SQLITE_ROW && sqlite3_column_text(query, 0))
        snprintf(ret_text, size, "%s", (const char *)sqlite3_column_text(query, 0));
    sqlite3_finalize(query);
}

static inline long long revision_of(struct db *db)
{
    long long revision = -1;

    EXPECT(revision_read(db, &revision, NULL));
    return revision;
}

static inline struct run_spec labelled_spec(void)
{
    struct run_spec spec = run_spec_default();

    spec.label_count = 2;
    spec.labels[0] = (struct label){"branch", "main"};
    spec.labels[1] = (struct label){"commit", "f00"};
    return spec;
}

static inline struct run_order order_of(const struct run_spec *spec)
{
    return (struct run_order){
        .spec = spec, .instance = "", .now_us = NOON_US, .queue_limit = 1000};
}

/* Queues a run that must be taken; the caller clears it. */
static inline struct run create_run(struct db *db, const struct run_order *order)
{
    struct run run = {0};
    bool replayed = true;

    EXPECT_OK(runs_create(db, order, &run, &replayed, &err));
    EXPECT(!replayed);
    return run;
}

static inline struct run claim_run(struct db *db)
{
    struct run run = {0};
    bool found = false;

    EXPECT(runs_claim(db, NOON_US + 1, 0, &run, &found, NULL));
    EXPECT(found);
    return run;
}

/* The same for a caller that does not need the run. */
static inline void expect_spec(const struct run_spec *got, const struct run_spec *wanted)
{
    char *ours = run_spec_to_text(got), *theirs = run_spec_to_text(wanted);

    EXPECT_STR(ours, theirs);
    free(ours);
    free(theirs);
}

static inline void create_one(struct db *db, const struct run_order *order)
{
    struct run run = create_run(db, order);

    run_clear(&run);
}

static inline void claim_one(struct db *db)
{
    struct run run = claim_run(db);

    run_clear(&run);
}

/* Queues a run of the default spec; the caller clears it. */
static inline struct run queue_run(struct db *db)
{
    const struct run_spec spec = run_spec_default();
    const struct run_order order = order_of(&spec);

    return create_run(db, &order);
}

static inline void queue_runs(struct db *db, int count)
{
    for (int i = 0; i < count; i++) {
        struct run run = queue_run(db);

        run_clear(&run);
    }
}

static inline struct run find_run(struct db *db, const char *id)
{
    struct run run = {0};

    EXPECT(runs_find(db, id, &run, NULL));
    return run;
}
