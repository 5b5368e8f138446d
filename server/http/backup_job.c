#include "server/http/backup_job.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "db/backup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>

const struct run_id copy_watched = {"copy of the database"};

struct copier {
    const char *database;
    struct live *live;
    char path[PATH_MAX];
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t rested;
    bool taken;   /* somebody began and has not left */
    bool working; /* the thread is at it, for whoever began or, stopping, for nobody */
    bool stopping;
    struct db *looked_at; /* the copy, while it is checked; or NULL */
    bool made;
    int descriptor;
    struct verify_facts facts;
    struct error err;
};

static bool go_on(void *user, long long done, long long total)
{
    struct copier *copier = user;
    bool stopping;

    (void)done, (void)total;
    pthread_mutex_lock(&copier->lock);
    stopping = copier->stopping;
    pthread_mutex_unlock(&copier->lock);
    return !stopping;
}

static void looks(void *user, struct db *db)
{
    struct copier *copier = user;

    pthread_mutex_lock(&copier->lock);
    copier->looked_at = db;
    if (db && copier->stopping)
        db_interrupt(db);
    pthread_mutex_unlock(&copier->lock);
}

/* A file without a name when this is over, whatever comes of it. */
static bool make(struct copier *copier, int *ret_descriptor, struct verify_facts *ret_facts,
                 struct error *err)
{
    AUTO(closep) int descriptor = -1;
    bool ok;

    (void)!unlink(copier->path);
    descriptor = open(copier->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0)
        return error_set(err, errno == ENOSPC ? ERROR_STORAGE : ERROR_INTERNAL, NULL,
                         "cannot make %.150s: %s", copier->path, strerror(errno));
    ok = backup_copy(copier->database, copier->path, &(struct backup_watch){go_on, looks, copier},
                     ret_facts, err);
    (void)!unlink(copier->path);
    if (ok) {
        *ret_descriptor = descriptor;
        descriptor = -1;
    }
    return ok;
}

static void *work(void *user)
{
    struct copier *copier = user;
    struct verify_facts facts = {0};
    struct error err = {0};
    int descriptor = -1;
    bool ok = make(copier, &descriptor, &facts, &err);

    pthread_mutex_lock(&copier->lock);
    copier->made = ok;
    copier->descriptor = descriptor;
    copier->facts = facts;
    copier->err = err;
    if (!copier->taken)
        closep(&copier->descriptor);
    live_tell(copier->live, copy_watched.text, clock_monotonic_ns());
    /* The last word: from here on the copier may be gone. */
    copier->working = false;
    pthread_cond_broadcast(&copier->rested);
    pthread_mutex_unlock(&copier->lock);
    return NULL;
}

struct copier *copier_new(const char *database, struct live *live)
{
    struct copier *copier = calloc(1, sizeof *copier);

    if (!copier || snprintf(copier->path, sizeof copier->path, "%s.copy", database) >=
                       (int)sizeof copier->path) {
        free(copier);
        return NULL;
    }
    copier->database = database;
    copier->live = live;
    copier->descriptor = -1;
    pthread_mutex_init(&copier->lock, NULL);
    pthread_cond_init(&copier->rested, NULL);
    (void)!unlink(copier->path);
    return copier;
}

static bool start(struct copier *copier, struct error *err)
{
    pthread_t thread;

    copier->made = copier->stopping = false;
    copier->descriptor = -1;
    if (pthread_create(&thread, NULL, work, copier) != 0)
        return error_set(err, ERROR_INTERNAL, NULL, "cannot start the copier thread");
    pthread_detach(thread);
    copier->taken = copier->working = true;
    return true;
}

bool copier_begin(struct copier *copier, struct error *err)
{
    bool ok;

    pthread_mutex_lock(&copier->lock);
    ok = copier->taken || copier->working
             ? error_set(err, ERROR_BUSY, NULL,
                         "a copy of the database is made or sent already, and one is at a time")
             : start(copier, err);
    pthread_mutex_unlock(&copier->lock);
    return ok;
}

enum copy_state copier_look(struct copier *copier, int *ret_descriptor,
                            struct verify_facts *ret_facts, struct error *err)
{
    enum copy_state state = COPY_UNDER_WAY;

    pthread_mutex_lock(&copier->lock);
    if (!copier->working && copier->made) {
        state = COPY_MADE;
        *ret_descriptor = copier->descriptor;
        *ret_facts = copier->facts;
    } else if (!copier->working) {
        state = COPY_FAILED;
        error_set(err, copier->err.kind, NULL, "%s", copier->err.message);
    }
    pthread_mutex_unlock(&copier->lock);
    return state;
}

void copier_leave(struct copier *copier)
{
    pthread_mutex_lock(&copier->lock);
    copier->taken = false;
    copier->stopping = true;
    if (copier->looked_at)
        db_interrupt(copier->looked_at);
    if (!copier->working)
        closep(&copier->descriptor);
    pthread_mutex_unlock(&copier->lock);
}

void copier_free(struct copier *copier)
{
    if (!copier)
        return;
    copier_leave(copier);
    pthread_mutex_lock(&copier->lock);
    while (copier->working)
        pthread_cond_wait(&copier->rested, &copier->lock);
    pthread_mutex_unlock(&copier->lock);
    pthread_cond_destroy(&copier->rested);
    pthread_mutex_destroy(&copier->lock);
    free(copier);
}
