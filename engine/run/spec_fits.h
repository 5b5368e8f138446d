/* Whether a valid spec can run on this machine. If not, it is refused before it is queued, with
 * the field and the reason, instead of failing an hour later. */
#pragma once

#include "common/error.h"
#include "engine/machine/cpu.h"
#include "engine/machine/topology.h"
#include "engine/spec/run_spec.h"

#include <stdbool.h>

/* What the answer depends on. */
struct place {
    const struct topology *topology;
    enum cpu_isa isa;        /* best instruction set of the processor */
    double dollars_per_hour; /* 0 unknown */
    const char *root;        /* prefix of library folders: "" except in tests */
    /* Names of the engines that the server can start, NULL-terminated; NULL: unknown. */
    const char *const *engines;
    /* An additional check of a spec; NULL for none. */
    bool (*can)(const void *user, const struct run_spec *spec, struct error *err);
    const void *user;
};

/* ERROR_UNABLE names the field. */
MUST_USE bool spec_fits(const struct run_spec *spec, const struct place *place,
                        struct error *err);
