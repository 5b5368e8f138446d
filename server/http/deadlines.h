/* A thread that sleeps until something is due. With nothing due it does not wake at all: an idle
 * server costs nothing. */
#pragma once

#include "common/error.h"

struct deadlines;

/* Does what is due at `now_ns` and says when it wants to be called next, or LLONG_MAX. */
typedef long long tick_fn(void *user, long long now_ns);

struct deadlines *deadlines_start(tick_fn *tick, void *user, struct error *err)
    __attribute__((warn_unused_result));

/* Makes sure that tick is called by then. May be called by any thread, also under locks that
 * tick takes. */
void deadlines_wake_by(struct deadlines *deadlines, long long when_ns);

/* Ends the thread; deadlines_wake_by() may still be called, in vain. NULL is fine for both. */
void deadlines_stop(struct deadlines *deadlines);
void deadlines_free(struct deadlines *deadlines);
