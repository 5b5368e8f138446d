/* A thread that sleeps until the next deadline. Without one it does not wake: an idle server uses
 * no processor time. */
#pragma once

#include "common/error.h"

struct deadlines;

/* Does the work due at `now_ns`; returns when to call it next, or LLONG_MAX. */
typedef long long tick_fn(void *user, long long now_ns);

MUST_USE struct deadlines *deadlines_start(tick_fn *tick, void *user, struct error *err);

/* Makes the thread call tick by `when_ns`. Thread-safe, also under locks that tick takes. */
void deadlines_wake_by(struct deadlines *deadlines, long long when_ns);

/* Ends the thread; later calls of deadlines_wake_by() do nothing. NULL is fine for both. */
void deadlines_stop(struct deadlines *deadlines);
void deadlines_free(struct deadlines *deadlines);
