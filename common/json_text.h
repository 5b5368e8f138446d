/* JSON as text. */
#pragma once

#include <jansson.h>

/* Fractions as people write them: 0.1, not 0.10000000000000001. */
#define JSON_TEXT_DIGITS 15
#define JSON_TEXT_FORMAT (JSON_COMPACT | JSON_REAL_PRECISION(JSON_TEXT_DIGITS))

/* The value in one line, members in insertion order. The caller frees it; NULL for NULL. */
static inline char *json_text(const json_t *json)
{
    return json_dumps(json, JSON_TEXT_FORMAT);
}
