/* What can be trained: one row a workload. */
#pragma once

#include "common/error.h"
#include "engine/run_spec.h"

#include <stdbool.h>

struct workload {
    const char *name; /* as in the spec */
    /* Says what of the spec it cannot do, before anything is built. */
    bool (*check)(const struct run_spec *spec, struct error *err);
    void *(*make)(const struct run_spec *spec, struct error *err);
    bool (*step)(void *state, double *ret_loss, struct error *err);
    void (*release)(void *state);
};

/* NULL, and err saying so, when this worker does not know it. */
const struct workload *workload_find(const char *name, struct error *err);
