/* Parameters of /v1/families, /v1/support and /v1/wanted. */
#pragma once

#include "answers/compare/question.h"
#include "db/prices/known_types.h"

struct families_question {
    struct comparison_question comparison; /* limit: of families */
    const char *family, *instance_type;    /* at most one; NULL: all that were measured */
    const char *after;                     /* NULL: from the first */
};
extern const struct parameters families_parameters;

struct support_question {
    struct known_type_filter filter;
    const char *family; /* NULL: all */
    long long limit;
};
extern const struct parameters support_parameters;

struct wanted_asked {
    const char *instance_type, *provider; /* NULL: of this machine */
    const char *workload, *engine;        /* NULL: any */
    long long days, limit;
};
extern const struct parameters wanted_parameters;
