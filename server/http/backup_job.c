/* Tested by tests/api/test_backup.py. */
#include "server/http/backup_job.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "db/backup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>

struct backup_job {
    const char *database;
    struct notifications *notifications;
    char path[PATH_MAX];
    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t rested;
    bool taken;   /* from backup_job_begin() to backup_job_leave() */
    bool working; /* the thread runs; after backup_job_leave() only to stop */
    bool stopping;
    struct db *verifying; /* the copy while it is verified, else NULL */
    bool made;
    int descriptor;
    struct verify_facts facts;
    struct error err;
};

static bool backup_goes_on(void *user, long long done, long long total)
{
    struct backup_job *backup_job = user;
    bool stopping;

    (void)done, (void)total;
    pthread_mutex_lock(&backup_job->lock);
    stopping = backup_job->stopping;
    pthread_mutex_unlock(&backup_job->lock);
    return !stopping;
}

static void backup_looks(void *user, struct db *db)
{
    struct backup_job *backup_job = user;

    pthread_mutex_lock(&backup_job->lock);
    backup_job->verifying = db;
    if (db && backup_job->stopping)
        db_interrupt(db);
    pthread_mutex_unlock(&backup_job->lock);
}

/* Makes the copy. The file has no name afterwards, also on failure. */
static bool backup_make_file(struct backup_job *backup_job, int *ret_descriptor,
                             struct verify_facts *ret_facts, struct error *err)
{
    AUTO(closep) int descriptor = -1;
    bool ok;

    (void)!unlink(backup_job->path);
    descriptor = open(backup_job->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0)
        return error_set(err, errno == ENOSPC ? ERROR_STORAGE : ERROR_INTERNAL, NULL,
                         "cannot make %.150s: %s", backup_job->path, strerror(errno));
    ok = backup_copy(backup_job->database, backup_job->path,
                     &(struct backup_watch){backup_goes_on, backup_looks, backup_job}, ret_facts,
                     err);
    (void)!unlink(backup_job->path);
    if (ok) {
        *ret_descriptor = descriptor;
        descriptor = -1;
    }
    return ok;
}

static void *backup_work(void *user)
{
    struct backup_job *backup_job = user;
    struct verify_facts facts = {0};
    struct error err = {0};
    int descriptor = -1;
    bool ok = backup_make_file(backup_job, &descriptor, &facts, &err);

    pthread_mutex_lock(&backup_job->lock);
    backup_job->made = ok;
    backup_job->descriptor = descriptor;
    backup_job->facts = facts;
    backup_job->err = err;
    if (!backup_job->taken)
        closep(&backup_job->descriptor);
    notifications_publish(backup_job->notifications, &(struct topic){.kind = TOPIC_BACKUP},
                          clock_monotonic_ns());
    /* Last: backup_job_free() may free the job once the lock is released. */
    backup_job->working = false;
    pthread_cond_broadcast(&backup_job->rested);
    pthread_mutex_unlock(&backup_job->lock);
    return NULL;
}

struct backup_job *backup_job_new(const char *database, struct notifications *notifications,
                                  struct error *err)
{
    struct backup_job *backup_job = xcalloc(1, sizeof *backup_job);

    if (snprintf(backup_job->path, sizeof backup_job->path, "%s.copy", database) >=
        (int)sizeof backup_job->path) {
        free(backup_job);
        error_set(err, ERROR_INVALID, "--database", "is too long");
        return NULL;
    }
    backup_job->database = database;
    backup_job->notifications = notifications;
    backup_job->descriptor = -1;
    pthread_mutex_init(&backup_job->lock, NULL);
    pthread_cond_init(&backup_job->rested, NULL);
    (void)!unlink(backup_job->path);
    return backup_job;
}

static bool backup_start(struct backup_job *backup_job, struct error *err)
{
    pthread_t thread;

    backup_job->made = backup_job->stopping = false;
    backup_job->descriptor = -1;
    if (pthread_create(&thread, NULL, backup_work, backup_job) != 0)
        return error_set(err, ERROR_INTERNAL, NULL, "cannot start the backup thread");
    pthread_detach(thread);
    backup_job->taken = backup_job->working = true;
    return true;
}

bool backup_job_begin(struct backup_job *backup_job, struct error *err)
{
    bool ok;

    pthread_mutex_lock(&backup_job->lock);
    ok = backup_job->taken || backup_job->working
             ? error_set(err, ERROR_BUSY, NULL,
                         "a copy of the database is made or sent already, and one is at a time")
             : backup_start(backup_job, err);
    pthread_mutex_unlock(&backup_job->lock);
    return ok;
}

enum copy_state backup_job_look(struct backup_job *backup_job, int *ret_descriptor,
                                struct verify_facts *ret_facts, struct error *err)
{
    enum copy_state state = COPY_UNDER_WAY;

    pthread_mutex_lock(&backup_job->lock);
    if (!backup_job->working && backup_job->made) {
        state = COPY_MADE;
        *ret_descriptor = backup_job->descriptor;
        *ret_facts = backup_job->facts;
    } else if (!backup_job->working) {
        state = COPY_FAILED;
        error_set(err, backup_job->err.kind, NULL, "%s", backup_job->err.message);
    }
    pthread_mutex_unlock(&backup_job->lock);
    return state;
}

void backup_job_leave(struct backup_job *backup_job)
{
    pthread_mutex_lock(&backup_job->lock);
    backup_job->taken = false;
    backup_job->stopping = true;
    if (backup_job->verifying)
        db_interrupt(backup_job->verifying);
    if (!backup_job->working)
        closep(&backup_job->descriptor);
    pthread_mutex_unlock(&backup_job->lock);
}

void backup_job_free(struct backup_job *backup_job)
{
    if (!backup_job)
        return;
    backup_job_leave(backup_job);
    pthread_mutex_lock(&backup_job->lock);
    while (backup_job->working)
        pthread_cond_wait(&backup_job->rested, &backup_job->lock);
    pthread_mutex_unlock(&backup_job->lock);
    pthread_cond_destroy(&backup_job->rested);
    pthread_mutex_destroy(&backup_job->lock);
    free(backup_job);
}
