/* Threads that make the next batch while the present one is trained on. */
#pragma once

#include "common/error.h"

struct batch_loader;

/* `workers` threads; each makes share `index` of `of` of a batch by calling make(). */
MUST_USE struct batch_loader *batch_loader_new(int workers,
                                               void (*make)(void *user, int index, int of),
                                               void *user, struct error *err);

/* Waits for what is being made. NULL is fine. */
void batch_loader_free(struct batch_loader *loader);

/* Sets the threads to work on a batch, and waits until they have made it. Calls take turns. */
void batch_loader_start(struct batch_loader *loader);
void batch_loader_wait(struct batch_loader *loader);
