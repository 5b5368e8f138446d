/* The order of events that a worker must keep; knows no pipes or processes. */
#pragma once

#include "engine/protocol/event.h"

struct dialogue {
    long long steps_max;   /* more steps are an error */
    long long steps;       /* step events seen */
    long long canaries;    /* canary events seen: at most CANARIES_MAX, since each is stored */
    long long nanoseconds; /* sum of all steps, bounded against overflow */
    bool greeted, done;
};

/* Accepts the next event, or says which rule it breaks. A `failed` event is an error too, in the
 * worker's own words. */
MUST_USE bool dialogue_accept(struct dialogue *dialogue, const struct event *event,
                              struct error *err);
