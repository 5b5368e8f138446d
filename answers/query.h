/* Parses and decodes the target of a request: "/v1/runs?limit=5&label=a%3Db". */
#pragma once

#include "common/error.h"
#include "common/limits.h"

#include <stdbool.h>
#include <stddef.h>

struct parameter {
    const char *name, *value; /* into `text`, but for a name of earlier versions */
};

struct query {
    const char *path; /* into `text`; decoded, always starts with '/' */
    size_t count;
    struct parameter parameters[QUERY_PARAMETERS_MAX];
    char text[QUERY_MAX + 1];
};

/* Fills *query from a raw target. A parameter that had another name before (`instance`) is found
 * by today's (`instance_type`). Refuses broken %-escapes, encoded slashes and NULs in the path,
 * and control characters: no route needs them, and they serve to evade filters. */
bool query_read(const char *target, struct query *query, struct error *err)
    __attribute__((warn_unused_result));

/* The value of `name`, or NULL when it is not given. */
const char *query_find(const struct query *query, const char *name);

/* Refuses a parameter of the NULL-terminated list that is empty or has more than `max` characters
 * (of UTF-8, so bytes may be more). */
bool query_check_words(const struct query *query, const char *const names[], size_t max,
                       struct error *err) __attribute__((warn_unused_result));

/* Refuses parameters that are not in the NULL-terminated list. Refuses a repeated parameter
 * unless its name in the list ends with '*'. */
bool query_allow(const struct query *query, const char *const allowed[], struct error *err)
    __attribute__((warn_unused_result));
