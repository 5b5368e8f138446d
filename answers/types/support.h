/* Whether the program's own engine can train on an instance type, and what the type has: from
 * machines that runs were measured on, from the catalogue of the feeds, and by rules for what
 * neither says. Pure. */
#pragma once

#include "db/prices/known_types.h"
#include "engine/spec/run_spec.h"

#include <stdbool.h>

/* Who says so. The first that knows a fact wins. */
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
    enum support_answer bf16, amx; /* native; from where the isa is */
    double need_gib;               /* of memory, by the spec that was asked about; 0 unknown */
    enum support_answer memory_enough;
    enum support_answer runs;
    enum fact_source runs_source; /* of the fact that decides */
    char why_not[256];            /* where it does not run, or that is unknown; else "" */
};

/* `spec` is what should run; its threads of 0 are as many as there are vCPUs. */
void support_of(const struct known_type *type, const struct run_spec *spec,
                struct support *ret_support);

/* Whether nothing known speaks against a spec on such a machine: its memory, instruction set and
 * number of processors. */
bool support_may_run(const struct support *support, const struct run_spec *spec);
