/* The shape of answers about machines: what was seen of one during a run, and who uses it now. */
#pragma once

#include "engine/machine/load.h"
#include "engine/run/run.h"
#include "server/base/members.h"

/* What was seen of the machine during a run. */
struct evidence_view {
    const struct evidence *evidence;
    bool thinned;
};
extern const struct members evidence_members;

/* What the trace of a run says. */
struct judgement {
    const char *summary; /* JSON, or NULL */
    enum validity validity;
    const char *findings, *load; /* as in struct run */
};
struct recomputed {
    bool is_identical;
    struct judgement stored, recomputed; /* what it says now */
};
extern const struct members recomputed_members;

extern const struct members machine_members; /* of struct machine_row */
extern const struct members load_members;    /* of struct load_view */

/* Who uses the processors, with the advice for a run of so many threads. */
void present_load(struct json_writer *out, const char *key, const struct load *load, int threads);
