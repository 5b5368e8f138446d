/* Reads JSON text. */
#pragma once

#include <jansson.h>

/* Reads one value; objects with a member twice are refused. `flags` are jansson's, such as
 * JSON_DECODE_ANY. NULL on failure: ret_why says what is wrong with the text. */
static inline json_t *json_read(const char *text, size_t length, size_t flags,
                                json_error_t *ret_why)
{
    return json_loadb(text, length, flags | JSON_REJECT_DUPLICATES, ret_why);
}
