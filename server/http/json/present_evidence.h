/* JSON of a machine's evidence during a run, and of its current load. */
#pragma once

#include "common/rows/members.h"
#include "engine/machine/load.h"
#include "engine/run/run.h"

/* The evidence of a run. */
struct evidence_view {
    const struct evidence *evidence;
    bool thinned;
};
extern const struct members evidence_members;

/* The verdict on a run's trace. */
struct judgement {
    const char *summary; /* JSON, or NULL */
    enum validity validity;
    const char *findings; /* as in struct run */
    const struct load *load;
};
struct recomputed {
    bool is_identical;
    struct judgement stored, recomputed; /* what it says now */
};
extern const struct members recomputed_members;

extern const struct members machine_members; /* of struct machine_row */
extern const struct members load_members;    /* of struct load_view */

/* The load of the processors, with advice for a run of `threads` threads. */
void present_load(struct json_writer *out, const char *key, const struct load *load, int threads);
