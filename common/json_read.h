/* Reads JSON text, with one rule for lack of memory: it is never taken for bad text, and never
 * for good text. */
#pragma once

#include "common/error.h"

#include <jansson.h>

/* Reads one value; objects with a member twice are refused. `flags` are jansson's, such as
 * JSON_DECODE_ANY. NULL on failure: when memory ended, err says so and ret_why->text is "";
 * otherwise ret_why says what is wrong with the text, and err is the caller's to set. */
json_t *json_read(const char *text, size_t length, size_t flags, json_error_t *ret_why,
                  struct error *err) __attribute__((warn_unused_result));
