/* The OpenAPI document: server/http/openapi.json, completed from the program's tables (routes
 * with parameters and answers, fields of a spec, names of engines). */
#pragma once

#include "common/bytes.h"
#include "common/error.h"
#include "server/runs/engines.h"

MUST_USE bool openapi_make(const struct engines *engines, struct bytes *ret_document,
                           struct error *err);

/* The document of one server. Thread-safe. */
struct openapi;

struct openapi *openapi_new(const struct engines *engines); /* they must outlive it */
void openapi_free(struct openapi *openapi);                 /* accepts NULL */

/* Makes the document when it is first asked for: it would be a sixth of the work of a start. NULL
 * is an error. */
MUST_USE const struct bytes *openapi_text(struct openapi *openapi, struct error *err);
