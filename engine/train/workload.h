/* What can be trained: one row a workload. */
#pragma once

#include "common/error.h"
#include "engine/machine/cpu.h"
#include "engine/protocol/details.h"
#include "engine/spec/run_spec.h"
#include "engine/trace/steps.h"
#include "engine/train/certificate.h"

#include <stdbool.h>

/* Calls come for each pass of each layer. */
typedef void (*workload_tell)(void *user, const char *layer, const char *pass, const char *name);

struct workload {
    const char *name; /* as in the spec */
    /* `isa` is the most of the processor that may be used. */
    void *(*make)(const struct run_spec *spec, enum cpu_isa isa, struct error *err);
    /* Adds what it knows of itself. */
    void (*describe)(const void *state, struct engine_details *details);
    /* Fills in loss and split. */
    bool (*step)(void *state, struct step *ret_step, struct error *err);
    void (*names)(const void *state, workload_tell tell, void *user);
    void (*release)(void *state);
    /* When nothing of a run is left: how far its precision leads from that of f32
     * (certificate.h). NULL where there is nothing to certify but f32 itself. */
    bool (*certify)(const struct run_spec *spec, enum cpu_isa isa,
                    struct certificate *ret_certificate, struct error *err);
};

/* NULL, and err saying so, when this worker does not know it. */
const struct workload *workload_find(const char *name, struct error *err);

/* Threads that a spec means. */
int workload_threads(const struct run_spec *spec);
