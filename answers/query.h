/* Parses and decodes the target of a request: "/v1/runs?limit=5&label=a%3Db". */
#pragma once

#include "common/error.h"
#include "common/limits.h"

#include <stdbool.h>
#include <stddef.h>

struct parameter {
    const char *name, *value; /* into `text` */
};

struct query {
    const char *path; /* into `text`; decoded, always starts with '/' */
    size_t count;
    struct parameter parameters[QUERY_PARAMETERS_MAX];
    char text[QUERY_MAX + 1];
};

/* Fills *query from a raw target. Refuses broken %-escapes, encoded slashes and NULs in the path,
 * and control characters: no route needs them, and they serve to evade filters. */
MUST_USE bool query_read(const char *target, struct query *query, struct error *err);

/* The value of `name`, or NULL when it is not given. */
const char *query_find(const struct query *query, const char *name);
