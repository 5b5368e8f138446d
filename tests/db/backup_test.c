#include "db/backup.h"

#include "db/damage.h"
#include "tests/db/kept.h"

static bool make(const struct folder *folder, const char *target, struct verify_facts *ret_facts,
                 struct error *err)
{
    return backup_make(folder->file, target, NULL, ret_facts, err);
}

TEST_IN_FOLDER(a_backup_is_one_file_with_everything)
{
    AUTO(db_freep) struct db *db = open_database(folder);
    struct kept_path target = kept_in(folder, "backup");
    struct verify_facts facts = {0};
    struct stat file;

    queue_runs(db, 3); /* in the log still, not in the file */
    EXPECT_OK(make(folder, target.text, &facts, &err));
    EXPECT_HAS(facts, (runs, 3), (version, number_of(db, "PRAGMA user_version")));
    EXPECT_INT(runs_in(target.text), 3);
    EXPECT_INT(files_named(folder, "backup"), 1);
    EXPECT(stat(target.text, &file) == 0);
    EXPECT_INT(file.st_mode & 07777, 0600);
    EXPECT_INT(file.st_size, facts.bytes);
    AUTO(bytes_free) struct bytes content = content_of(target.text);
    EXPECT_INT(content.data[18], 1); /* no log: it can be read where nothing can be written */
    queue_runs(db, 1);
    EXPECT_INT(runs_in(target.text), 3);
}

struct writer {
    struct db *db;
    int asked, allowed;
};

/* Somebody writes between any two slices. */
static bool write_meanwhile(void *user, long long done, long long total)
{
    struct writer *writer = user;

    EXPECT(done >= 0 && done <= total);
    queue_runs(writer->db, 1);
    return ++writer->asked < writer->allowed;
}

static void fill(struct db *db)
{
    do_not_sync(db);
    queue_runs(db, 10);
    execute(db, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT"
                " 90000) INSERT INTO steps (run, position, nanoseconds, loss)"
                " SELECT 1, i, 1000000 + i, 0.5 FROM n");
}

TEST_IN_FOLDER(changes_during_a_backup_are_not_in_it)
{
    AUTO(db_freep) struct db *db = open_database(folder);
    struct kept_path target = kept_in(folder, "backup");
    struct writer writer = {.db = db, .allowed = 1000};
    struct verify_facts facts = {0};

    fill(db);
    EXPECT_OK(backup_make(folder->file, target.text,
                          &(struct backup_watch){write_meanwhile, NULL, &writer}, &facts, &err));
    EXPECT(writer.asked > 2);
    EXPECT_INT(facts.runs, 10);
    EXPECT_INT(runs_in(target.text), 10);
    EXPECT_ROWS(db, 10 + writer.asked, "runs");
}

TEST_IN_FOLDER(a_backup_that_is_stopped_leaves_nothing)
{
    AUTO(db_freep) struct db *db = open_database(folder);
    struct kept_path target = kept_in(folder, "backup");
    struct verify_facts facts;

    fill(db);
    for (int allowed = 1; allowed < 4; allowed++) {
        struct writer writer = {.db = db, .allowed = allowed};

        EXPECT_ERROR_SAYS(backup_make(folder->file, target.text,
                                      &(struct backup_watch){write_meanwhile, NULL, &writer},
                                      &facts, &err),
                          ERROR_CONFLICT, "stopped");
        EXPECT_INT(files_named(folder, "backup"), 0);
    }
}

static void end_at_once(void *user, struct db *db)
{
    (void)user;
    if (db)
        db_interrupt(db);
}

static bool always(void *user, long long done, long long total)
{
    (void)user;
    return done <= total;
}

TEST_IN_FOLDER(a_backup_whose_check_is_ended_leaves_nothing)
{
    AUTO(db_freep) struct db *db = open_database(folder);
    struct kept_path target = kept_in(folder, "backup");
    struct verify_facts facts;

    queue_runs(db, 3);
    EXPECT_ERROR_MESSAGE(backup_make(folder->file, target.text,
                                     &(struct backup_watch){always, end_at_once, NULL}, &facts,
                                     &err),
                         ERROR_CONFLICT, "it was stopped before it was complete");
    EXPECT_INT(files_named(folder, "backup"), 0);
    EXPECT(!db_is_damaged());
}

TEST_IN_FOLDER(nothing_is_overwritten)
{
    AUTO(db_freep) struct db *db = open_database(folder);
    struct kept_path target = kept_in(folder, "backup");
    struct kept_path part = kept_in(folder, "backup.part");
    struct verify_facts facts;

    EXPECT(db != NULL);

    put_content(target.text, "mine", 4);
    EXPECT_ERROR_SAYS(make(folder, target.text, &facts, &err), ERROR_CONFLICT, "exists already");
    EXPECT(has_content(target.text, &(struct bytes){.data = (char[]){"mine"}, .used = 4}));
    EXPECT_INT(unlink(target.text), 0);
    put_content(part.text, "mine", 4);
    EXPECT_SAYS(make(folder, target.text, &facts, &err), "is in the way");
    EXPECT(has_content(part.text, &(struct bytes){.data = (char[]){"mine"}, .used = 4}));
}

TEST_IN_FOLDER(a_file_that_cannot_be_copied_is_named)
{
    struct kept_path target = kept_in(folder, "backup"), far = kept_in(folder, "no/backup");
    struct verify_facts facts;

    EXPECT_ERROR_SAYS(make(folder, target.text, &facts, &err), ERROR_NOT_FOUND, folder->file);
    EXPECT_INT(files_named(folder, "runs.db"), 0); /* none was made to be copied */
    db_free(open_database(folder));
    EXPECT_SAYS(make(folder, far.text, &facts, &err), "No such file");
    EXPECT_INT(files_named(folder, "backup"), 0);
}

TEST_IN_FOLDER(a_damaged_database_makes_no_backup)
{
    struct kept_path target = kept_in(folder, "backup");
    struct db *db = open_database(folder);
    struct verify_facts facts;

    fill(db);
    long long page = number_of(db, "SELECT rootpage FROM sqlite_schema WHERE name = 'runs'");
    db_free(db);
    scribble(folder->file, (long)(page - 1) * 4096, 0, 4096);
    EXPECT_SAYS(make(folder, target.text, &facts, &err), "not whole");
    EXPECT_INT(files_named(folder, "backup"), 0);
    db_forget_damage();
}
