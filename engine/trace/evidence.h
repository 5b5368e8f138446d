/* How the machine disturbed a run, stored with the steps, so that a reader can repeat the
 * verdict. */
#pragma once

#include "engine/trace/canary_reading.h"
#include "engine/trace/observation.h"

#include <stdbool.h>
#include <stddef.h>

/* One canary reading, with the number of steps completed before it. */
struct canary_reading {
    long long steps;
    struct canary canary;
};

/* Where a run was measured: by this server, or elsewhere. */
enum provenance { PROVENANCE_MEASURED, PROVENANCE_IMPORTED };
extern const char *const provenance_names[]; /* "measured", "imported"; NULL-terminated */
enum provenance provenance_from_name(const char *name);

/* Both in time order. */
struct evidence {
    struct observation *observations;
    size_t observation_count, observation_size;
    struct canary_reading *readings;
    size_t reading_count, reading_size;
};

void evidence_observe(struct evidence *evidence, const struct observation *observation);
void evidence_add_reading(struct evidence *evidence, const struct canary_reading *reading);

/* Frees what it holds; zeroed evidence is fine. */
void evidence_free(struct evidence *evidence);
