/* Which runs may be put together: those whose specs agree in all that can change how fast an
 * engine trains. Labels, seed and limits cannot; workload and engine are told apart beside it. */
#pragma once

#include "engine/spec/run_spec.h"

/* What of a spec makes a configuration, as JSON in one line: equal specs, equal text. The caller
 * frees it; NULL when memory ends. */
char *configuration_of_spec(const struct run_spec *spec);

/* Whether a field of a spec is part of its configuration. */
bool configuration_has(const char *field);

/* Whether two specs have the same workload, engine and configuration. */
bool configuration_equal(const struct run_spec *left, const struct run_spec *right);
