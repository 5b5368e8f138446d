/* The processors of each family of instance types, from the provider's documentation: for types
 * without a run. */
#pragma once

#include "engine/machine/cpu.h"

#include <stdbool.h>

struct processor_rule {
    const char *provider;
    const char *families;     /* words of instance_family(); of Google the part before the '-' */
    const char *processors;   /* for people */
    const char *architecture; /* "x86_64" or "arm64" */
    enum cpu_isa isa;         /* that all of them have */
    bool at_least;            /* some of them have more */
    const char *source;       /* the page that says so */
};

/* Ends with a row without a provider. */
extern const struct processor_rule processor_rules[];

/* NULL if there is no rule for it. */
const struct processor_rule *processor_rule_of(const char *provider, const char *family);
