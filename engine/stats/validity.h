/* May a run be ranked? Each thing that could have made its number another machine's, or another
 * work's, than it seems is looked at and answered in words. What others took from the run has a
 * bound, and widens the interval; invalid is a run whose bound is too far away, or that has none.
 * Pure: the same testimony gives the same verdict, whenever and wherever it is asked again. */
#pragma once

#include "engine/protocol/details.h"
#include "engine/spec/run_spec.h"
#include "engine/stats/summary.h"
#include "engine/trace/certified.h"
#include "engine/trace/evidence.h"

/* A disturbance that cost less than half of what the interval leaves open, or less than this
 * share of the time, is not warned of. A service that watches a run on two processors, with a
 * container engine and a kernel at work too, costs about so much. */
#define SHARE_WARN 0.02
#define GONE_MAX 0.5 /* of the time: of more, the bound was not tried */

/* In the order of weight. A run is as good as its worst finding; what could not be seen weighs
 * nothing. An invalid run is kept with its reasons, and never ranked. */
enum validity { VALIDITY_UNKNOWN, VALIDITY_OK, VALIDITY_WARN, VALIDITY_INVALID };

struct finding {
    const char *code; /* static: "steal" */
    enum validity level;
    double value;    /* what was measured, in the unit of the words; NaN where it is no number */
    char words[160]; /* "the hypervisor took 0.2 % of the processors' time" */
};

#define FINDINGS_MAX 20

struct verdict {
    enum validity level; /* never unknown */
    size_t count;
    struct finding findings[FINDINGS_MAX];
    /* How fast the machine is undisturbed, against this run: about, and at most. 1 or more. */
    double idle_speed, idle_speed_max;
};

/* What the verdict is made of; pointers are borrowed. */
struct validity_inputs {
    const struct run_spec *spec;
    const struct summary *summary;
    const struct evidence *evidence;
    const char *implementations; /* as in implementations.h; NULL where unknown */
    const char *machine_isa;     /* the most that the machine has, "" unknown */
    const char *instance;        /* the machine's type, "" unknown */
    double memory_share;         /* of the time that memory bounds (roofline.h); 0 unknown */
    enum answer emulated;
    struct certified certified;
};

void validity_judge(const struct validity_inputs *validity_inputs, struct verdict *ret_verdict);

/* In the order of the enum, NULL-terminated. */
extern const char *const validity_names[];

/* "unknown", "ok", "warn", "invalid". */
const char *validity_name(enum validity level);

/* The findings as a JSON array in one line. The caller frees it. */
char *verdict_to_text(const struct verdict *verdict);
