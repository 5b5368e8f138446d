/* JSON as text. */
#pragma once

#include <jansson.h>

/* Fractions as people write them: 0.1, not 0.10000000000000001. */
#define JSON_TEXT_FORMAT (JSON_COMPACT | JSON_REAL_PRECISION(15))

/* The value in one line, members in the order in which they were set. The caller frees it; NULL
 * of NULL. */
static inline char *json_text(const json_t *json)
{
    return json_dumps(json, JSON_TEXT_FORMAT);
}
