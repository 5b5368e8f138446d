#include "engine/train/threads/batch_loader.h"

#include "common/cleanup.h"
#include "engine/train/threads/barrier.h"
#include "engine/train/threads/host.h"

#include <pthread.h>

struct worker {
    struct feeder *feeder;
    pthread_t thread;
    int index;
};

struct feeder {
    int count;
    struct worker *workers;
    void (*make)(void *user, int index, int of); /* NULL: go home */
    void *user;
    bool busy;              /* set to work, and not waited for */
    struct meeting meeting; /* of the workers and the caller: at the start and at the end */
};

static void *live(void *argument)
{
    struct worker *worker = argument;
    struct feeder *feeder = worker->feeder;

    host_stay_anywhere();
    for (;;) {
        meeting_join(&feeder->meeting);
        if (!feeder->make)
            return NULL;
        feeder->make(feeder->user, worker->index, feeder->count);
        meeting_join(&feeder->meeting);
    }
}

static bool start_workers(struct feeder *feeder, int workers, struct error *err)
{
    for (; feeder->count < workers; feeder->count++) {
        struct worker *worker = &feeder->workers[feeder->count];

        *worker = (struct worker){.feeder = feeder, .index = feeder->count};
        if (pthread_create(&worker->thread, NULL, live, worker) != 0)
            return error_set(err, ERROR_INTERNAL, NULL, "cannot start input worker %d",
                             feeder->count + 1);
    }
    return true;
}

struct feeder *feeder_new(int workers, void (*make)(void *user, int index, int of), void *user,
                          struct error *err)
{
    struct feeder *feeder = calloc(1, sizeof *feeder);

    if (feeder)
        feeder->workers = calloc((size_t)workers, sizeof *feeder->workers);
    if (!feeder || !feeder->workers) {
        free(feeder);
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    feeder->make = make;
    feeder->user = user;
    feeder->meeting.count = workers + 1;
    if (!start_workers(feeder, workers, err)) {
        feeder->meeting.count = feeder->count + 1; /* those who are there can be sent home */
        feeder_free(feeder);
        return NULL;
    }
    return feeder;
}

void feeder_free(struct feeder *feeder)
{
    if (!feeder)
        return;
    if (feeder->busy)
        feeder_wait(feeder);
    feeder->make = NULL;
    meeting_join(&feeder->meeting);
    for (int i = 0; i < feeder->count; i++)
        pthread_join(feeder->workers[i].thread, NULL);
    free(feeder->workers);
    free(feeder);
}

void feeder_start(struct feeder *feeder)
{
    feeder->busy = true;
    meeting_join(&feeder->meeting);
}

void feeder_wait(struct feeder *feeder)
{
    meeting_join(&feeder->meeting);
    feeder->busy = false;
}
