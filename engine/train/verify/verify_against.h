/* Compares one result of `verify` with another. */
#pragma once

#include <jansson.h>

/* Prints the largest deviations; returns 0 when they are within what rounding explains for the
 * precision of `result`, 1 when not, 2 when the file cannot be used. */
int verify_against(json_t *result, const char *path);
