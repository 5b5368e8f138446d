/* Who uses the processors now: the last reading is kept, and the next question
 * compares with it. Nothing sleeps, and nothing is read without a question. Thread-safe. */
#pragma once

#include "engine/machine/load.h"

#include <pthread.h>

struct load_watch {
    pthread_mutex_t lock;
    struct load_reading last; /* zeroed: none yet */
    struct load load;         /* between the two readings before, */
    long long load_ns;        /* and when that was; 0: none yet */
};

void load_watch_init(struct load_watch *watch);
void load_watch_clear(struct load_watch *watch);

/* The load of the last moment: 0.3 to five seconds that ended within the last second. False where
 * that is not known yet: then a look from *ret_due_ns (monotonic) on says it. Takes some
 * milliseconds. */
bool load_watch_look(struct load_watch *watch, const struct topology *topology,
                     struct load *ret_load, long long *ret_due_ns);
