/* Reads and writes the texts and small objects of documents. */
#pragma once

#include "common/bytes.h"
#include "common/error.h"
#include "common/json_scan.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A string without control characters, shorter than `size`. Errors name `field`. */
MUST_USE bool document_read_text(struct span value, const char *field, size_t size,
                                 char *ret_text, struct error *err);

/* Copies an object without the blanks around its tokens. The caller frees it; NULL on error. */
char *document_copy_object(struct span value, const char *field, struct error *err);

/* Parses an object with jansson, without duplicates; NULL on error. */
json_t *document_parse(struct span value, const char *field, struct error *err);

/* Passes on an error from inside a member: "spec" and "threads" become "spec.threads". Always
 * returns false. */
bool document_refuse_inside(struct error *err, const char *where, const struct error *inner);
