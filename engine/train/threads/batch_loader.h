/* Threads that make the next batch while the present one is trained on. */
#pragma once

#include "common/error.h"

struct feeder;

/* `workers` threads; each makes share `index` of `of` of a batch by calling make(). */
struct feeder *feeder_new(int workers, void (*make)(void *user, int index, int of), void *user,
                          struct error *err) __attribute__((warn_unused_result));

/* Waits for what is being made. NULL is fine. */
void feeder_free(struct feeder *feeder);

/* Sets the threads to work on a batch, and waits until they have made it. Calls take turns. */
void feeder_start(struct feeder *feeder);
void feeder_wait(struct feeder *feeder);
