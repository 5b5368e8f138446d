/* The rules of a conversation with a worker, apart from pipes and processes: what may be said in
 * which order. */
#pragma once

#include "engine/protocol/event.h"

struct dialogue {
    long long steps_max;   /* more steps than this are a broken promise */
    long long steps;       /* step events seen */
    long long canaries;    /* canary events seen: at most CANARIES_MAX, since each is stored */
    long long nanoseconds; /* of all of them; a sum of ours must never overflow */
    bool greeted, done;
};

/* Takes the next event, or says which rule it breaks. A `failed` event is an error too: the
 * worker's own words. */
MUST_USE bool dialogue_accept(struct dialogue *dialogue, const struct event *event,
                              struct error *err);
