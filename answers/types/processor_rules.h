/* Which processors a family of instance types has, as its provider's documentation says: data,
 * for types that no run was measured on. */
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

/* NULL where no rule speaks of it. */
const struct processor_rule *processor_rule_of(const char *provider, const char *family);
