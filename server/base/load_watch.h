/* Measures who uses the processors now, by comparing with the previous reading. Reads only when
 * asked, and never sleeps. Thread-safe. */
#pragma once

#include "engine/machine/load.h"

#include <pthread.h>

struct load_watch {
    pthread_mutex_t lock;
    struct load_reading last; /* zeroed: none yet */
    struct load load;         /* the newest result, */
    long long load_ns;        /* and its time; 0: none yet */
};

void load_watch_init(struct load_watch *watch);
void load_watch_clear(struct load_watch *watch);

/* The load over 0.3 to five seconds that ended within the last second. False if unknown yet: call
 * again at *ret_due_ns (monotonic). Takes some milliseconds. */
bool load_watch_look(struct load_watch *watch, const struct topology *topology,
                     struct load *ret_load, long long *ret_due_ns);
