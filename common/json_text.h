/* JSON as text. */
#pragma once

#include <jansson.h>

/* The value in one line, members in the order in which they were set. The caller frees it; NULL
 * of NULL, and when memory ends. */
char *json_text(const json_t *json);
