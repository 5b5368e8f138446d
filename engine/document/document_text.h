/* What documents are made of besides numbers: texts and small objects. */
#pragma once

#include "common/bytes.h"
#include "common/error.h"
#include "common/json_scan.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A string without control characters, shorter than `size`. `field` is blamed. */
MUST_USE bool document_read_text(struct span value, const char *field, size_t size,
                                 char *ret_text, struct error *err);

/* An object as it is, without the blanks around its tokens. The caller frees it; NULL on error.
 */
char *document_copy_object(struct span value, const char *field, struct error *err);

/* An object as jansson reads it, without duplicates; NULL on error. */
json_t *document_parse(struct span value, const char *field, struct error *err);

/* Passes a refusal of something inside on as one of the document: "spec" and "threads" become
 * "spec.threads". Always returns false. */
bool document_refuse_inside(struct error *err, const char *where, const struct error *inner);

/* With quotes and escapes; null of NULL and "". */
MUST_USE bool document_write_text(struct bytes *text, const char *value);
