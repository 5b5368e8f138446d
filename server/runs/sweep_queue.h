/* Queues a sweep on this machine. */
#pragma once

#include "engine/spec/run_id.h"
#include "server/base/this_machine.h"

struct sweep_wish {
    long long queue_limit;
    const char *text; /* the request, a JSON object as engine/sweep/sweep.h reads it */
    const char *key;  /* for sweeps_create(), or NULL */
    /* Called with the number of runs before anything is stored. Returns false to refuse, after it
     * has answered the client itself. NULL allows any number. */
    bool (*may)(void *user, long long runs);
    void *user;
};

/* The caller wakes the runner afterwards. */
MUST_USE bool sweep_queue(struct db *db, struct this_machine *here, const struct sweep_wish *wish,
                          struct run_id *ret_id, bool *ret_replayed, struct error *err);
