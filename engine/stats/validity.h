/* Whether a run may be ranked. Each check covers one way the number could be wrong and adds a
 * finding. Time lost to other processes is bounded, and widens the interval; a run is invalid if
 * the bound is too large, or unknown. Pure: the same inputs always give the same verdict. */
#pragma once

#include "engine/protocol/details.h"
#include "engine/spec/run_spec.h"
#include "engine/stats/summary.h"
#include "engine/trace/certified.h"
#include "engine/trace/evidence.h"

/* A disturbance is no warning if it cost less than half of the interval's half-width, or less
 * than this share of the time. A service that watches a run on two processors, with a container
 * engine and a kernel at work, costs about this much. */
#define SHARE_WARN 0.02
#define GONE_MAX 0.5 /* of the time: the bound was not tested beyond */

/* By severity. A run is as good as its worst finding; unknowns do not count. An invalid run is
 * kept with its reasons, and never ranked. */
enum validity { VALIDITY_UNKNOWN, VALIDITY_OK, VALIDITY_WARN, VALIDITY_INVALID };

struct finding {
    const char *code; /* static: "steal" */
    enum validity level;
    double value;    /* measured, in the unit of the words; NaN if there is no number */
    char words[160]; /* "the hypervisor took 0.2 % of the processors' time" */
};

#define FINDINGS_MAX 20

struct verdict {
    enum validity level; /* never unknown */
    size_t count;
    struct finding findings[FINDINGS_MAX];
    /* Speed of the undisturbed machine relative to this run: estimate, and maximum. 1 or more. */
    double idle_speed, idle_speed_max;
};

/* The inputs of the verdict; pointers are borrowed. */
struct validity_inputs {
    const struct run_spec *spec;
    const struct summary *summary;
    const struct evidence *evidence;
    const char *implementations; /* as in implementations.h; NULL if unknown */
    const char *machine_isa;     /* the machine's best, "" unknown */
    const char *instance;        /* the machine's type, "" unknown */
    double memory_share;         /* share of memory-bound time (roofline.h); 0 unknown */
    enum answer emulated;
    struct certified certified;
};

void validity_judge(const struct validity_inputs *validity_inputs, struct verdict *ret_verdict);

/* In the order of the enum, NULL-terminated. */
extern const char *const validity_names[];

/* "unknown", "ok", "warn", "invalid". */
const char *validity_name(enum validity level);
enum validity validity_from_name(const char *name); /* VALIDITY_UNKNOWN for any other name */

extern const struct members finding_members;

/* The findings as a JSON array in one line. The caller frees it. */
char *verdict_to_text(const struct verdict *verdict);

/* The words of the first `most` findings of this level in such text, with "; " between them. The
 * caller frees it; "" without one. */
char *findings_words(const char *findings, enum validity level, size_t most);
