/* Puts a sweep into the queue of this machine, for whoever asks for one. */
#pragma once

#include "engine/run_id.h"
#include "server/server.h"

struct sweep_wish {
    const char *text; /* the request, a JSON object as engine/sweep.h reads it */
    const char *key;  /* for sweeps_create(), or NULL */
    /* Asked how many runs it would queue, before anything is stored; NULL: as many as it likes.
     * Whoever says no says why. */
    bool (*may)(void *user, long long runs);
    void *user;
};

/* Borrows a connection of the server's. The runner is left alone. */
bool sweep_place(const struct server *server, const struct sweep_wish *wish,
                 struct run_id *ret_id, bool *ret_replayed, struct error *err)
    __attribute__((warn_unused_result));
