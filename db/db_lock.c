/* Tested by tests/db/db_lock_test.c and tests/api/test_stop.py. */
#include "db/db_lock.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "db/file_error.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#define FILES_MAX 8
#define NAME_SIZE (4096 + 8)

/* A database that this process has opened to lock it; the descriptor is never -1. */
struct file {
    dev_t device;
    ino_t inode;
    int descriptor;
    bool held;
};

static struct {
    pthread_mutex_t lock;
    struct file list[FILES_MAX];
    size_t count;
} files = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct db_lock {
    int name;          /* of the lock file */
    struct file *file; /* NULL while there is none */
};

/* Between fork and exec a worker has copies of our descriptors, so the lock of a killed server
 * may outlive it by a moment. */
static bool take_lock(int descriptor)
{
    const struct timespec moment = {.tv_nsec = 10 * 1000000};

    for (int attempt = 0; attempt < 100; attempt++) {
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            return true;
        nanosleep(&moment, NULL);
    }
    return false;
}

static bool is_busy(const char *path, struct error *err)
{
    return error_set(err, ERROR_BUSY, NULL, "another pennyworth uses the database %s", path);
}

static struct file *known_file(const struct stat *status)
{
    for (size_t i = 0; i < files.count; i++)
        if (files.list[i].device == status->st_dev && files.list[i].inode == status->st_ino)
            return &files.list[i];
    return NULL;
}

/* A free entry; one of a deleted file is reused. */
static struct file *free_place(void)
{
    struct stat status;

    for (size_t i = 0; i < files.count; i++) {
        struct file *file = &files.list[i];

        if (!file->held && fstat(file->descriptor, &status) == 0 && status.st_nlink == 0) {
            close(file->descriptor);
            return file;
        }
    }
    return files.count < FILES_MAX ? &files.list[files.count++] : NULL;
}

/* With the files locked: opens the file, unless this process has opened it already. Returns false
 * if it cannot be opened; errno says why. */
static bool open_file(const char *path, struct file **ret_file)
{
    struct stat status;
    struct file *file;
    int descriptor;

    if (stat(path, &status) != 0)
        return false;
    *ret_file = known_file(&status);
    if (*ret_file)
        return true;
    descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0 || fstat(descriptor, &status) != 0)
        return false;
    file = known_file(&status); /* it has got the name since: `descriptor` must stay open */
    if (!file) {
        file = free_place();
        if (!file) {
            errno = EMFILE;
            return false;
        }
        *file = (struct file){
            .device = status.st_dev, .inode = status.st_ino, .descriptor = descriptor};
    }
    *ret_file = file;
    return true;
}

static void file_give_back(struct file *file)
{
    if (!file)
        return;
    (void)flock(file->descriptor, LOCK_UN);
    file->held = false;
}

/* With the files locked. */
static bool db_lock_hold_file(struct db_lock *lock, const char *path, bool must,
                              struct error *err)
{
    struct file *file = NULL;

    if (!open_file(path, &file))
        return !must || file_error_set(err, ERROR_INTERNAL, NULL, "open", path, errno);
    if (file == lock->file)
        return true;
    if (file->held || !take_lock(file->descriptor))
        return is_busy(path, err);
    file_give_back(lock->file);
    file->held = true;
    lock->file = file;
    return true;
}

static bool db_lock_hold(struct db_lock *lock, const char *path, bool must, struct error *err)
{
    pthread_mutex_lock(&files.lock);
    bool held = db_lock_hold_file(lock, path, must, err);
    pthread_mutex_unlock(&files.lock);
    return held;
}

bool db_lock_file(struct db_lock *lock, const char *path, struct error *err)
{
    return db_lock_hold(lock, path, true, err);
}

struct db_lock *db_lock(const char *path, struct error *err)
{
    AUTO(db_unlockp) struct db_lock *lock = xmalloc(sizeof *lock);
    char name[NAME_SIZE];

    snprintf(name, sizeof name, "%s.lock", path);
    *lock = (struct db_lock){.name = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    if (lock->name < 0) {
        file_error_set(err, ERROR_INTERNAL, NULL, "open", name, errno);
        return NULL;
    }
    if (!take_lock(lock->name)) {
        (void)is_busy(path, err);
        return NULL;
    }
    return db_lock_hold(lock, path, false, err) ? take(&lock) : NULL;
}

void db_unlock(struct db_lock *lock)
{
    if (!lock)
        return;
    pthread_mutex_lock(&files.lock);
    file_give_back(lock->file);
    pthread_mutex_unlock(&files.lock);
    closep(&lock->name);
    free(lock);
}

void db_unlockp(struct db_lock **lock)
{
    db_unlock(*lock);
    *lock = NULL;
}

static bool is_taken(const char *path)
{
    AUTO(closep) int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

    return descriptor >= 0 && flock(descriptor, LOCK_SH | LOCK_NB) != 0;
}

bool db_name_is_locked(const char *path)
{
    char name[NAME_SIZE];

    snprintf(name, sizeof name, "%s.lock", path);
    return is_taken(name);
}

bool db_is_locked(const char *path)
{
    return db_name_is_locked(path) || is_taken(path);
}
