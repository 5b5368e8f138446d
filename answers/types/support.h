/* Whether our own engine can train on an instance type, and the type's hardware. Sources:
 * measured machines, then the feeds' catalogue, then rules. Pure. */
#pragma once

#include "db/prices/known_types.h"
#include "engine/spec/run_spec.h"

#include <stdbool.h>

/* The source of a fact, in order of precedence. */
enum fact_source {
    SOURCE_NONE,      /* the fact is unknown */
    SOURCE_MEASURED,  /* a machine of the type */
    SOURCE_CATALOGUE, /* a price feed */
    SOURCE_RULE,      /* processor_rules.c */
};
/* NULL, "measured", "catalogue", "rule", and NULL at the end. */
extern const char *const fact_source_names[];

enum support_answer { SUPPORT_UNKNOWN, SUPPORT_NO, SUPPORT_YES };
extern const char *const support_answer_names[]; /* "unknown", "no", "yes" */

struct number_fact {
    double number; /* 0 unknown */
    enum fact_source source;
};

struct word_fact {
    char word[96]; /* "" unknown */
    enum fact_source source;
};

struct support {
    char family[INSTANCE_SIZE];
    struct number_fact vcpus, memory_gib, numa_nodes;
    struct word_fact architecture, processor, isa;
    bool isa_at_least;             /* machines of the type may have more */
    enum support_answer bf16, amx; /* native; same source as the isa */
    double need_gib;               /* memory that the spec needs; 0 unknown */
    enum support_answer memory_enough;
    enum support_answer runs;
    enum fact_source runs_source; /* of the fact that decides */
    char why_not[256];            /* if it does not run or that is unknown; else "" */
};

/* `spec` is what should run; threads 0 means one per vCPU. */
void support_of(const struct known_type *type, const struct run_spec *spec,
                struct support *ret_support);

/* False if the type's known memory, instruction set or number of processors rules out the
 * spec. */
bool support_may_run(const struct support *support, const struct run_spec *spec);
