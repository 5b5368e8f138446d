/* Threads for tests of what many may do at once. */
#pragma once

#include "tests/test.h"

#include <pthread.h>

#define THREADS_MAX 8

/* Runs so many threads and waits for them. Each is given its own element of `users`, whose
 * elements have this size; with 0 all are given `users`. */
static inline void run_threads(int count, void *(*run)(void *user), void *users, size_t size)
{
    pthread_t threads[THREADS_MAX];

    for (int i = 0; i < count; i++)
        EXPECT_INT(pthread_create(&threads[i], NULL, run, (char *)users + (size_t)i * size), 0);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}
