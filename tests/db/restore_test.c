#include "db/damage.h"
#include "db/restore.h"

#include "tests/db/kept.h"

#include <sys/wait.h>

/* A database with four runs, and a backup from when it had two. */
struct scene {
    struct folder folder;
    struct kept_path backup;
};

static struct scene scene_make(void)
{
    struct scene scene = {.folder = folder_make()};
    AUTO(db_freep) struct db *db = open_database(&scene.folder);
    struct verify_facts facts;

    scene.backup = kept_in(&scene.folder, "backup");
    queue_runs(db, 2);
    EXPECT(backup_make(scene.folder.file, scene.backup.text, NULL, &facts, NULL));
    queue_runs(db, 2);
    return scene;
}

static void scene_remove(struct scene *scene)
{
    folder_remove(&scene->folder);
}

static struct restore_order order_for(const struct scene *scene, bool replace)
{
    return (struct restore_order){.backup = scene->backup.text,
                                  .database = scene->folder.file,
                                  .replace = replace,
                                  .now_us = NOON_US};
}

static bool restore(const struct scene *scene, bool replace, char ret_aside[RESTORE_NAME_MAX],
                    struct error *err)
{
    struct restore_order order = order_for(scene, replace);
    struct verify_facts facts;

    return restore_make(&order, &facts, ret_aside, err);
}

#define TEST_WITH_SCENE(name) TEST_GIVEN(name, const struct scene *scene, with_scene)

static void with_scene(void (*test)(const struct scene *scene))
{
    AUTO(scene_remove) struct scene scene = scene_make();

    test(&scene);
}

TEST_WITH_SCENE(a_backup_becomes_the_database)
{
    AUTO(bytes_free) struct bytes backup = content_of(scene->backup.text);
    char aside[RESTORE_NAME_MAX];

    EXPECT_OK(restore(scene, true, aside, &err));
    EXPECT_INT(runs_in(scene->folder.file), 2);
    EXPECT_PART(aside, "runs.db.replaced-20231114T221320Z");
    EXPECT_INT(runs_in(aside), 4);
    EXPECT(has_content(scene->backup.text, &backup));
    EXPECT_INT(files_named(&scene->folder, "backup"), 1);
    AUTO(db_freep) struct db *db = open_database(&scene->folder);
    queue_runs(db, 1);
    EXPECT_INT(runs_in(scene->folder.file), 3);
}

TEST_WITH_SCENE(where_nothing_is_it_needs_no_leave)
{
    char aside[RESTORE_NAME_MAX];

    EXPECT_FAILS(restore(scene, false, aside, &err), (kind, ERROR_CONFLICT),
                 (field, "--replace"));
    EXPECT_INT(runs_in(scene->folder.file), 4);
    EXPECT_INT(unlink(scene->folder.file), 0);
    EXPECT_OK(restore(scene, false, aside, &err));
    EXPECT_STR(aside, "");
    EXPECT_INT(runs_in(scene->folder.file), 2);
}

/* A database that was killed has a log, and the two stay together. */
TEST_WITH_SCENE(a_log_goes_with_its_database)
{
    char aside[RESTORE_NAME_MAX];
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        struct db *db = open_database(&scene->folder);

        queue_runs(db, 1);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    EXPECT_INT(files_named(&scene->folder, "runs.db-wal"), 1);
    EXPECT(restore(scene, true, aside, NULL));
    EXPECT_INT(files_named(&scene->folder, "runs.db-"), 0);
    EXPECT_INT(runs_in(scene->folder.file), 2);
    EXPECT_INT(runs_in(aside), 5);
}

TEST_WITH_SCENE(two_in_one_second_are_put_aside_apart)
{
    char first[RESTORE_NAME_MAX], second[RESTORE_NAME_MAX];

    EXPECT(restore(scene, true, first, NULL) && restore(scene, true, second, NULL));
    EXPECT_INT(runs_in(first), 4);
    EXPECT_INT(runs_in(second), 2);
}

static void expect_refused(const struct scene *scene, const char *words)
{
    AUTO(bytes_free) struct bytes before = content_of(scene->folder.file);
    AUTO(bytes_free) struct bytes backup = content_of(scene->backup.text);
    char aside[RESTORE_NAME_MAX];

    EXPECT_SAYS(restore(scene, true, aside, &err), words);
    EXPECT(has_content(scene->folder.file, &before));
    EXPECT(has_content(scene->backup.text, &backup));
    EXPECT_INT(files_named(&scene->folder, "runs.db"), 1);
    EXPECT(!restore_is_pending(scene->folder.file));
    db_forget_damage();
}

TEST_WITH_SCENE(an_incomplete_backup_is_refused)
{
    AUTO(bytes_free) struct bytes good = content_of(scene->backup.text);
    const char *backup = scene->backup.text;

    put_content(backup, "this is a letter, and a long one", 32);
    expect_refused(scene, "not a database");
    put_content(backup, "", 0);
    expect_refused(scene, "is not a pennyworth backup: it is not a database");
    put_content(backup, good.data, good.used / 2);
    expect_refused(scene, "malformed");
    put_content(backup, good.data, good.used);
    scribble(backup, 8L * 4096, 0, 4096);
    expect_refused(scene, "not whole");
    put_content(backup, good.data, good.used);
    scribble(backup, 60, 0, 3); /* user_version is four bytes there */
    scribble(backup, 63, 99, 1);
    expect_refused(scene, "use a newer one");
    put_content(backup, good.data, good.used);
    scribble(backup, 68, 1, 4);
    expect_refused(scene, "another program");
    EXPECT_INT(unlink(backup), 0);
    expect_refused(scene, "there is no file");
}

TEST_WITH_SCENE(a_database_in_use_is_no_backup)
{
    struct kept_path log = kept_in(&scene->folder, "backup-wal");

    put_content(log.text, "frames", 6);
    expect_refused(scene, "a database in use, not a backup");
}

static int steps_left;

static void die_in_time(const char *step)
{
    (void)step;
    if (steps_left-- == 0)
        _exit(7);
}

/* Killed after each step in its turn; the old database has a log. */
TEST(a_kill_leaves_the_old_or_the_new)
{
    bool whole = false;

    for (int allowed = 0; !whole; allowed++) {
        AUTO(scene_remove) struct scene scene = scene_make();
        struct restore_order order = order_for(&scene, true);
        char aside[RESTORE_NAME_MAX];
        struct verify_facts facts;
        int status;
        pid_t pid = fork();

        if (pid == 0) {
            struct db *db = open_database(&scene.folder);

            queue_runs(db, 1);
            steps_left = allowed;
            order.did = die_in_time;
            _exit(restore_make(&order, &facts, aside, NULL) ? 0 : 1);
        }
        waitpid(pid, &status, 0);
        EXPECT(WIFEXITED(status));
        whole = WEXITSTATUS(status) == 0;
        EXPECT(whole || WEXITSTATUS(status) == 7);
        EXPECT(allowed > 0 || !restore_is_pending(scene.folder.file));
        EXPECT(restore_finish(scene.folder.file, NULL));
        EXPECT(!restore_is_pending(scene.folder.file));
        EXPECT_INT(runs_in(scene.folder.file), allowed == 0 ? 5 : 2);
        snprintf(aside, sizeof aside, "%s.replaced-20231114T221320Z", scene.folder.file);
        EXPECT_INT(runs_in(aside), allowed == 0 ? -1 : 5);
        /* And the next one works as if nothing had been. */
        EXPECT(restore(&scene, true, aside, NULL));
        EXPECT_INT(runs_in(scene.folder.file), 2);
        EXPECT_INT(files_named(&scene.folder, "runs.db.part"), 0);
        EXPECT(allowed < 20);
    }
}

/* Where a second name is what renames: both are there when that was cut short. */
TEST_WITH_SCENE(a_kill_between_two_names_is_finished)
{
    struct kept_path restored = kept_in(&scene->folder, "runs.db.restored");
    char aside[RESTORE_NAME_MAX];

    EXPECT(restore(scene, true, aside, NULL));
    EXPECT_INT(link(scene->folder.file, restored.text), 0);
    EXPECT(restore_finish(scene->folder.file, NULL));
    EXPECT(!restore_is_pending(scene->folder.file));
    EXPECT_INT(runs_in(scene->folder.file), 2);
    EXPECT_INT(runs_in(aside), 4);

    EXPECT_INT(unlink(aside), 0); /* there was no database before */
    EXPECT_INT(link(scene->folder.file, restored.text), 0);
    EXPECT(restore_finish(scene->folder.file, NULL));
    EXPECT_INT(runs_in(scene->folder.file), 2);
    EXPECT_INT(files_named(&scene->folder, "runs.db"), 1);
}
