/* Parameters that several resources share. */
#pragma once

#include "answers/parameters.h"

/* `next_cursor` of the previous page: a number (long long), or a name (const char *). */
bool api_read_cursor(const struct parameter_row *row, const char *value, void *into,
                     struct error *err);
bool api_read_name_cursor(const struct parameter_row *row, const char *value, void *into,
                          struct error *err);

/* clang-format off */
#define API_CURSOR                                                                               \
    PARAMETER_OWN, .read = api_read_cursor,                                                      \
                   .schema = "{\"type\": \"string\", \"pattern\": \"^r[0-9a-f]{3,22}$\"}",       \
                   .meaning = "`next_cursor` of the previous page."
#define API_NAME_CURSOR                                                                          \
    PARAMETER_OWN,                                                                               \
        .read = api_read_name_cursor,                                                            \
        .schema = "{\"type\": \"string\", \"minLength\": 1, \"maxLength\": " LIMIT_TEXT(         \
            QUERY_WORD_MAX) "}",                                                                 \
        .meaning = "`next_cursor` of the previous page."
/* clang-format on */

/* Blanks are no reason. */
bool api_reason_says_why(const char *reason, struct error *err);
/* A reason for the record (char[REASON_MAX + 1]); it must say something. */
bool api_read_reason(const struct parameter_row *row, const char *value, void *into,
                     struct error *err);
/* clang-format off */
#define API_REASON_PATTERN                                                                       \
    "\"pattern\": \"^ *[^\\\\u0000-\\\\u0020\\\\u007f][^\\\\u0000-\\\\u001f\\\\u007f]*$\""
#define API_REASON                                                                               \
    PARAMETER_OWN,                                                                               \
        .read = api_read_reason,                                                                 \
        .schema = "{\"type\": \"string\", \"minLength\": 1, \"maxLength\": " LIMIT_TEXT(         \
            REASON_MAX) ", " API_REASON_PATTERN "}"
/* clang-format on */
