/* Which runs may be pooled: runs whose specs agree in everything that can affect the engine's
 * speed. Labels, seed and limits cannot; workload and engine are compared separately. */
#pragma once

#include "engine/spec/run_spec.h"

#include <stdint.h>

#define CONFIGURATION_WORD_SIZE 65

/* A configuration, parsed once from its text. A run's has every member. A published figure's has
 * the members that its source names, and may have unknown ones. The table in configuration.c
 * lists the members. It is small, because the server keeps one per contender; words point into
 * run_spec_fields. */
struct configuration {
    const char *precision, *layout, *plan, *isa, *pinning, *numa, *huge_pages, *openmp;
    const char *allocator, *protocol;
    long long batch_size, threads, input_workers;
    uint32_t known; /* one bit per member, in the order of the table */
    char foreign_precision[CONFIGURATION_WORD_SIZE]; /* of a figure: a precision that no run has,
                                                      * or "" */
};

/* Reads a configuration's text: JSON, as stored. Members that are absent, or invalid for a run,
 * stay unknown. */
void configuration_read(const char *text, struct configuration *ret_configuration);

/* Whether it has this precision (NULL: any) and this batch size (0: any). */
bool configuration_matches(const struct configuration *configuration, const char *precision,
                           long long batch_size);

/* Writes the names of the members in which two configurations differ, in the order of
 * run_spec_fields, and returns their number, at most CONFIGURATION_MEMBERS. */
#define CONFIGURATION_MEMBERS 13
size_t configuration_differences(const struct configuration *left,
                                 const struct configuration *right,
                                 const char *ret_names[CONFIGURATION_MEMBERS]);

/* A member as JSON: a new reference, NULL if unknown. */
json_t *configuration_member(const struct configuration *configuration, const char *name);

/* The configuration of a spec, as JSON in one line: equal specs give equal text. The caller frees
 * it. */
char *configuration_of_spec(const struct run_spec *spec);

/* Whether a field of a spec is part of its configuration. */
bool configuration_has(const char *field);

/* Whether two specs have the same workload, engine and configuration. */
bool configuration_equal(const struct run_spec *left, const struct run_spec *right);
