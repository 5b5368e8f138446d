/* Whether a spec, lawful as it is, can be run on this machine. What cannot is refused before it
 * is queued, with the field and the reason, and not found out an hour later by an engine. */
#pragma once

#include "common/error.h"
#include "engine/machine/cpu.h"
#include "engine/machine/topology.h"
#include "engine/spec/run_spec.h"

#include <stdbool.h>

/* What the answer depends on. */
struct place {
    const struct topology *topology;
    enum cpu_isa isa;        /* the most that the processor can do */
    double dollars_per_hour; /* 0 unknown */
    const char *root;        /* before the folders of libraries: "" but in tests */
    /* Names of the engines that the server can start, NULL-terminated; NULL: not known. */
    const char *const *engines;
    /* What else is asked of a spec; NULL for nothing. */
    bool (*can)(const void *user, const struct run_spec *spec, struct error *err);
    const void *user;
};

/* ERROR_UNABLE names the field. */
MUST_USE bool spec_fits(const struct run_spec *spec, const struct place *place,
                        struct error *err);
