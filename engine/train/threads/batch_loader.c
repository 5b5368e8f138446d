#include "engine/train/threads/batch_loader.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "engine/train/threads/barrier.h"
#include "engine/train/threads/host.h"

#include <assert.h>
#include <pthread.h>

struct worker {
    struct batch_loader *loader;
    pthread_t thread;
    int index;
};

struct batch_loader {
    int count;
    struct worker *workers;
    void (*make)(void *user, int index, int of); /* NULL: the workers end */
    void *user;
    bool busy;              /* started, and batch_loader_wait() not called since */
    struct barrier barrier; /* workers and caller meet at the start and at the end */
};

static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    struct batch_loader *loader = worker->loader;

    host_stay_anywhere();
    for (;;) {
        barrier_wait(&loader->barrier);
        if (!loader->make)
            return NULL;
        loader->make(loader->user, worker->index, loader->count);
        barrier_wait(&loader->barrier);
    }
}

static bool start_workers(struct batch_loader *loader, int workers, struct error *err)
{
    for (; loader->count < workers; loader->count++) {
        struct worker *worker = &loader->workers[loader->count];

        *worker = (struct worker){.loader = loader, .index = loader->count};
        if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0)
            return error_set(err, ERROR_INTERNAL, NULL, "cannot start input worker %d",
                             loader->count + 1);
    }
    return true;
}

struct batch_loader *batch_loader_new(int workers, void (*make)(void *user, int index, int of),
                                      void *user, struct error *err)
{
    struct batch_loader *loader = xcalloc(1, sizeof *loader);

    assert(workers > 0 && make);
    loader->workers = xcalloc((size_t)workers, sizeof *loader->workers);
    loader->make = make;
    loader->user = user;
    loader->barrier.count = workers + 1;
    if (!start_workers(loader, workers, err)) {
        loader->barrier.count = loader->count + 1; /* the workers that have started can end */
        batch_loader_free(loader);
        return NULL;
    }
    return loader;
}

void batch_loader_free(struct batch_loader *loader)
{
    if (!loader)
        return;
    if (loader->busy)
        batch_loader_wait(loader);
    loader->make = NULL;
    barrier_wait(&loader->barrier);
    for (int i = 0; i < loader->count; i++)
        pthread_join(loader->workers[i].thread, NULL);
    free(loader->workers);
    free(loader);
}

void batch_loader_start(struct batch_loader *loader)
{
    assert(!loader->busy);
    loader->busy = true;
    barrier_wait(&loader->barrier);
}

void batch_loader_wait(struct batch_loader *loader)
{
    assert(loader->busy);
    barrier_wait(&loader->barrier);
    loader->busy = false;
}
