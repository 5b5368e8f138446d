#include "db/damage.h"

#include "tests/db/kept.h"

#include <pthread.h>
#include <time.h>

#define TEST_IN_FILLED_FOLDER(name) TEST_GIVEN(name, const struct folder *folder, in_filled)

static void in_filled(void (*test)(const struct folder *folder))
{
    AUTO(folder_remove) struct folder folder = folder_make();
    struct db *db = open_database(&folder);

    do_not_sync(db);
    queue_runs(db, 300);
    db_free(db);
    test(&folder);
}

TEST_IN_FILLED_FOLDER(a_good_database_may_be_used)
{
    struct verify_facts facts = {0};
    struct error err = {0};

    EXPECT(verify_before_use(folder->file, &err));
    AUTO(db_freep) struct db *db = verify_open(folder->file, &err);
    EXPECT(verify_database(db, NULL, &facts, &err));
    EXPECT_STR(err.message, "");
    EXPECT_INT(facts.runs, 300);
    EXPECT(!db_is_damaged());
}

TEST_IN_FOLDER(one_that_is_not_there_may_be_made)
{
    EXPECT_OK(verify_before_use(folder->file, &err));
    EXPECT_INT(files_named(folder, "runs.db"), 0);
    EXPECT_ERROR(verify_open(folder->file, &err), ERROR_NOT_FOUND);
    EXPECT_INT(files_named(folder, "runs.db"), 0);
}

static void expect_damaged(const struct folder *folder)
{
    AUTO(bytes_free) struct bytes before = content_of(folder->file);
    struct error err = {0};

    EXPECT(!verify_before_use(folder->file, &err));
    EXPECT_INT(err.kind, ERROR_INTERNAL);
    EXPECT_PART(err.message, folder->file);
    EXPECT_PART(err.message, "is damaged and was left as it is");
    EXPECT_PART(err.message, "pennyworth restore FILE --replace on");
    EXPECT_PART(err.message, "move it away");
    EXPECT(has_content(folder->file, &before));
    EXPECT(db_is_damaged());
}

TEST_IN_FILLED_FOLDER(a_damaged_one_is_left_as_it_is)
{
    AUTO(bytes_free) struct bytes good = content_of(folder->file);
    long pages = (long)good.used / 4096;

    EXPECT(pages > 20);
    scribble(folder->file, 0, 'x', 200); /* a header of garbage */
    expect_damaged(folder);
    for (long page = 3; page < pages; page += 7) {
        put_content(folder->file, good.data, good.used);
        scribble(folder->file, page * 4096, 0, 4096);
        expect_damaged(folder);
    }
    for (size_t length = 200; length < good.used; length += good.used / 5) {
        put_content(folder->file, good.data, length);
        expect_damaged(folder);
    }
    put_content(folder->file, good.data, good.used);
    EXPECT(verify_before_use(folder->file, NULL)); /* and is looked at anew */
    EXPECT(!db_is_damaged());
}

TEST_IN_FILLED_FOLDER(a_foreign_file_is_left_untouched)
{
    scribble(folder->file, 68, 1, 4);
    EXPECT_SAYS(verify_before_use(folder->file, &err), "another program");
    EXPECT(!db_is_damaged());
}

TEST_IN_FILLED_FOLDER(nothing_is_written_once_damage_was_seen)
{
    AUTO(transaction_end) struct transaction change = {0};
    AUTO(db_freep) struct db *db = open_database(folder);

    scribble(folder->file, 4096, 'x', 4096 * 20);
    EXPECT_INT(files_named(folder, "runs.db"), 3);
    AUTO(bytes_free) struct bytes before = content_of(folder->file);
    AUTO(run_clear) struct run run = {0};
    EXPECT_ERROR(runs_find(db, "01HF7YAT000000000000000001", &run, &err), ERROR_INTERNAL);
    EXPECT(db_is_damaged());
    EXPECT_SAYS(transaction_begin(&change, db, DB_DURABLE, &err), "damaged");
    db_free(take(&db));
    EXPECT(has_content(folder->file, &before));
    db_forget_damage();
}

TEST_IN_FILLED_FOLDER(a_path_may_have_any_letters)
{
    struct kept_path odd = kept_in(folder, "a?b#c%41 d&e.db");
    struct verify_facts facts = {0};

    EXPECT_INT(rename(folder->file, odd.text), 0);
    AUTO(db_freep) struct db *db = verify_open_untouched(odd.text, NULL);
    EXPECT(verify_database(db, NULL, &facts, NULL));
    EXPECT_INT(facts.runs, 300);
}

/* Somebody wants something else as soon as the look has begun. */
static void end_at_once(void *user, struct db *db)
{
    int *calls = user;

    ++*calls;
    if (db)
        db_interrupt(db);
}

TEST_IN_FILLED_FOLDER(a_look_that_is_ended_says_nothing)
{
    AUTO(db_freep) struct db *db = open_database(folder);
    int calls = 0;
    const struct verify_watch watch = {end_at_once, &calls};
    struct verify_facts facts = {.runs = 77};
    bool disturbed = false;

    add_ballast(db);
    EXPECT_OK(verify_in_peace(db, &watch, &disturbed, &err));
    EXPECT(disturbed);
    EXPECT_INT(calls, 2);
    EXPECT_ERROR_MESSAGE(verify_database(db, &watch, &facts, &err), ERROR_CONFLICT,
                         "it was stopped before all was read");
    EXPECT_INT(facts.runs, 77);
    EXPECT(!db_is_damaged());
    EXPECT_ROWS(db, 300, "runs"); /* what comes next is not ended */
    EXPECT(verify_in_peace(db, &(struct verify_watch){0}, &disturbed, NULL));
    EXPECT(!disturbed);
    EXPECT(verify_database(db, NULL, &facts, NULL));
}

struct disturber {
    pthread_mutex_t lock;
    struct db *db;
    int wait_us;
};

static void note(void *user, struct db *db)
{
    struct disturber *disturber = user;

    pthread_mutex_lock(&disturber->lock);
    disturber->db = db;
    pthread_mutex_unlock(&disturber->lock);
}

static void *disturb(void *user)
{
    struct disturber *disturber = user;

    nanosleep(&(struct timespec){.tv_nsec = disturber->wait_us * 1000L}, NULL);
    pthread_mutex_lock(&disturber->lock);
    if (disturber->db)
        db_interrupt(disturber->db);
    pthread_mutex_unlock(&disturber->lock);
    return NULL;
}

/* SQLite reports pages that it has not reached as lost. */
TEST_IN_FILLED_FOLDER(whenever_it_is_ended_nothing_is_damaged)
{
    AUTO(db_freep) struct db *db = open_database(folder);
    int ended = 0, whole = 0;

    add_ballast(db);
    for (int i = 0; i < 60; i++) {
        struct disturber disturber = {.lock = PTHREAD_MUTEX_INITIALIZER, .wait_us = i * i * 5};
        const struct verify_watch watch = {note, &disturber};
        pthread_t thread;
        bool disturbed;

        EXPECT_INT(pthread_create(&thread, NULL, disturb, &disturber), 0);
        EXPECT(verify_in_peace(db, &watch, &disturbed, NULL));
        EXPECT_INT(pthread_join(thread, NULL), 0);
        ended += disturbed;
        whole += !disturbed;
        EXPECT(!db_is_damaged());
        EXPECT_ROWS(db, 300, "runs");
    }
    EXPECT_INT(ended + whole, 60);
}
