/* A thread that lives as long as the service: it sleeps until it has work, and others wake it and
 * end it. One lock protects the owner's state; one condition variable says that it changed.
 *
 *     static void *work(void *user)                  void owner_order(struct owner *owner)
 *     {                                              {
 *         struct owner *owner = user;                    service_thread_lock(&owner->thread);
 *                                                        owner->orders++;
 *         service_thread_lock(&owner->thread);           service_thread_wake(&owner->thread);
 *         while (!owner->thread.stopping) {              service_thread_unlock(&owner->thread);
 *             if (owner->orders == 0) {              }
 *                 service_thread_wait(&owner->thread, LLONG_MAX);
 *                 continue;
 *             }
 *             ...
 *
 * Change the state under the lock, then wake; read the state under the lock before each wait. A
 * wake that comes before the wait is then never lost. Other threads may wait in the same way for
 * what the thread reports. */
#pragma once

#include "common/error.h"

#include <pthread.h>
#include <stdbool.h>

struct service_thread {
    pthread_t thread;
    pthread_mutex_t lock; /* of `stopping`, and of the owner's shared state */
    pthread_cond_t changed;
    bool stopping;        /* set once, by service_thread_ask_to_stop() */
    bool started, joined; /* only for the thread that starts and joins */
};

/* Makes the lock usable; starts nothing. */
void service_thread_init(struct service_thread *thread);

/* Runs work(user) in a thread. Call it once, after service_thread_init(). `name` stands in the
 * message of a failure. */
MUST_USE bool service_thread_start(struct service_thread *thread, const char *name,
                                   void *(*work)(void *), void *user, struct error *err);

void service_thread_lock(struct service_thread *thread);
void service_thread_unlock(struct service_thread *thread);

/* With the lock held: wakes all threads that wait. */
void service_thread_wake(struct service_thread *thread);

/* With the lock held: sleeps until a wake or until `when_ns` (monotonic; LLONG_MAX: no limit),
 * and not at all once the thread has to stop. May return early, so check the state again. Returns
 * false when the thread has to stop. */
bool service_thread_wait(struct service_thread *thread, long long when_ns);

/* Takes the lock. */
bool service_thread_is_stopping(struct service_thread *thread);

/* Two steps, so that the owner can interrupt what the thread is blocked in between them. Both may
 * be repeated, also if the thread never started. The lock must not be held. Only one thread may
 * call join, and not the service thread itself. */
void service_thread_ask_to_stop(struct service_thread *thread);
void service_thread_join(struct service_thread *thread);

/* Destroys the lock of a thread that never started or was joined. */
void service_thread_clear(struct service_thread *thread);
