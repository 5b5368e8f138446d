/* Puts a sweep into the queue of this machine, for whoever asks for one. */
#pragma once

#include "engine/spec/run_id.h"
#include "server/base/this_machine.h"

struct sweep_wish {
    long long queue_limit;
    const char *text; /* the request, a JSON object as engine/sweep/sweep.h reads it */
    const char *key;  /* for sweeps_create(), or NULL */
    /* Asked how many runs it would queue, before anything is stored; NULL: as many as it likes.
     * Whoever says no says why. */
    bool (*may)(void *user, long long runs);
    void *user;
};

/* Does not wake the runner. */
bool sweep_queue(struct db *db, struct this_machine *here, const struct sweep_wish *wish,
                 struct run_id *ret_id, bool *ret_replayed, struct error *err)
    __attribute__((warn_unused_result));
