#include "db/db_lock.h"

#include "tests/db/database.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

/* Tries to lock in another process; lock_result() is 0 if that got the lock, 1 if not. */
static pid_t lock_elsewhere(const char *path)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(db_lock(path, NULL) ? 0 : 1);
    return pid;
}

static int lock_result(pid_t pid)
{
    int status = -1;

    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_IN_FOLDER(a_locked_database_is_refused_to_other_processes)
{
    AUTO(db_unlockp) struct db_lock *lock = db_lock(folder->file, NULL);
    pid_t other = lock_elsewhere(folder->file); /* both try for a while, so at the same time */
    char words[400];

    EXPECT(lock);
    snprintf(words, sizeof words, "another pennyworth uses the database %s", folder->file);
    EXPECT_ERROR_SAYS(db_lock(folder->file, &err), ERROR_BUSY, words);
    EXPECT_INT(lock_result(other), 1);
}

TEST_IN_FOLDER(a_closed_lock_is_free_again)
{
    AUTO(db_unlockp) struct db_lock *lock = db_lock(folder->file, NULL);

    db_unlockp(&lock);
    EXPECT_INT(lock_result(lock_elsewhere(folder->file)), 0);
    lock = db_lock(folder->file, NULL);
    EXPECT(lock);
}

TEST_IN_FOLDER(a_killed_process_gives_its_lock_back)
{
    AUTO(db_unlockp) struct db_lock *lock = NULL;
    int ready[2];
    char word = 0;

    EXPECT(pipe(ready) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        lock = db_lock(folder->file, NULL);
        (void)!write(ready[1], lock ? "l" : "-", 1);
        for (;;)
            pause();
    }
    EXPECT(read(ready[0], &word, 1) == 1);
    EXPECT_INT(word, 'l'); /* it has the lock */
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    lock = db_lock(folder->file, NULL);
    EXPECT(lock);
    close(ready[0]);
    close(ready[1]);
}

/* A process needs a moment to end after its signal. */
TEST_IN_FOLDER(a_lock_that_is_about_to_be_given_back_is_waited_for)
{
    const struct timespec moment = {.tv_nsec = 50000000};
    AUTO(db_unlockp) struct db_lock *lock = db_lock(folder->file, NULL);
    pid_t pid = fork();

    if (pid == 0) { /* it shares the lock until it ends */
        nanosleep(&moment, NULL);
        _exit(0);
    }
    db_unlockp(&lock);
    lock = db_lock(folder->file, NULL);
    EXPECT(lock);
    waitpid(pid, NULL, 0);
}

static void make_database(const struct folder *folder)
{
    struct db *db = open_database(folder);

    EXPECT(db);
    db_free(db);
}

TEST(locks_of_different_databases_are_different)
{
    AUTO(folder_remove) struct folder folder = folder_make(), other = folder_make();

    make_database(&folder);
    make_database(&other);
    AUTO(db_unlockp) struct db_lock *lock = db_lock(folder.file, NULL);
    AUTO(db_unlockp) struct db_lock *second = db_lock(other.file, NULL);

    EXPECT(lock && second);
}

TEST_IN_FOLDER(a_lock_in_a_folder_that_is_not_there_names_it)
{
    char path[400];

    snprintf(path, sizeof path, "%s/nowhere/runs.db", folder->path);
    EXPECT_ERROR_SAYS(db_lock(path, &err), ERROR_INTERNAL, "No such file");
    EXPECT_ERROR_SAYS(db_open(path, &err), ERROR_INTERNAL, "nowhere");
}

static void expect_busy(const char *path)
{
    EXPECT_ERROR(db_lock(path, &err), ERROR_BUSY);
    EXPECT_INT(lock_result(lock_elsewhere(path)), 1);
}

TEST_IN_FOLDER(a_database_is_locked_by_all_of_its_names)
{
    char symbolic[400], hard[400];

    make_database(folder);
    snprintf(symbolic, sizeof symbolic, "%s/symbolic.db", folder->path);
    snprintf(hard, sizeof hard, "%s/hard.db", folder->path);
    EXPECT(symlink(folder->file, symbolic) == 0 && link(folder->file, hard) == 0);
    EXPECT(!db_is_locked(hard));
    AUTO(db_unlockp) struct db_lock *lock = db_lock(folder->file, NULL);
    EXPECT(lock);
    expect_busy(symbolic);
    expect_busy(hard);
    EXPECT(db_is_locked(symbolic) && db_is_locked(hard) && db_is_locked(folder->file));
    EXPECT(db_name_is_locked(folder->file) && !db_name_is_locked(hard));
    db_unlockp(&lock);
    lock = db_lock(hard, NULL);
    EXPECT(lock);
}

TEST_IN_FOLDER(a_deleted_lock_file_gives_nothing_away)
{
    AUTO(db_unlockp) struct db_lock *lock = NULL;
    char name[400];

    make_database(folder);
    snprintf(name, sizeof name, "%s.lock", folder->file);
    lock = db_lock(folder->file, NULL);
    EXPECT(lock && unlink(name) == 0);
    expect_busy(folder->file);
}

TEST_IN_FOLDER(a_file_that_was_made_or_replaced_since_is_locked_too)
{
    AUTO(db_unlockp) struct db_lock *lock = db_lock(folder->file, NULL);
    char other[400];

    snprintf(other, sizeof other, "%s/other.db", folder->path);
    EXPECT_ERROR(lock && db_lock_file(lock, folder->file, &err), ERROR_INTERNAL);
    for (int i = 0; i < 2; i++) {
        make_database(folder);
        EXPECT(db_lock_file(lock, folder->file, NULL) && db_lock_file(lock, folder->file, NULL));
        (void)!unlink(other);
        EXPECT(link(folder->file, other) == 0);
        expect_busy(other);
        EXPECT(unlink(folder->file) == 0);
    }
}

/* Whether another process can lock a byte that SQLite has locked in this one. */
static bool keeps_bytes(int descriptor)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        struct flock bytes = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 7, .l_len = 1};

        _exit(fcntl(descriptor, F_SETLK, &bytes) == 0 ? 1 : 0);
    }
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_IN_FOLDER(a_lock_takes_none_of_sqlites_locks_away)
{
    AUTO(db_unlockp) struct db_lock *lock = NULL;
    struct flock bytes = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 7, .l_len = 1};
    char name[400];

    make_database(folder);
    snprintf(name, sizeof name, "%s.lock", folder->file);
    AUTO(closep) int descriptor = open(folder->file, O_RDWR | O_CLOEXEC);
    EXPECT(fcntl(descriptor, F_SETLK, &bytes) == 0 && keeps_bytes(descriptor));
    for (int i = 0; i < 3; i++) {
        lock = db_lock(folder->file, NULL);
        EXPECT(lock && unlink(name) == 0 && !db_lock(folder->file, NULL));
        db_unlockp(&lock);
        EXPECT(keeps_bytes(descriptor));
    }
}

TEST(many_databases_in_turn_leave_few_descriptors)
{
    for (int i = 0; i < 30; i++) {
        AUTO(folder_remove) struct folder folder = folder_make();

        make_database(&folder);
        db_unlock(db_lock(folder.file, NULL));
    }
    int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);

    EXPECT(descriptor >= 0 && descriptor < 20);
    close(descriptor);
}
