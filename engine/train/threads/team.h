/* Threads that work on one thing together, and wait for each other on the way. They are made once
 * and sleep between two jobs. */
#pragma once

#include "common/error.h"

struct team;

/* `count` threads, the caller's own among them. */
MUST_USE struct team *team_new(int count, struct error *err);

/* NULL is fine. */
void team_free(struct team *team);

int team_size(const struct team *team);

/* Runs work(user, index) on every thread, index 0 on the caller's, and returns when all have. */
void team_run(struct team *team, void (*work)(void *user, int index), void *user);

/* Returns when every thread of the job has come here. Spins for a moment, then sleeps: a thread
 * that spins on a core which another needs makes both slow. */
void team_meet(struct team *team);
