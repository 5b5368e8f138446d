/* The OpenAPI document: server/http/openapi.json, completed at start from the program's tables
 * (routes with parameters and answers, fields of a spec, names of engines). */
#pragma once

#include "common/bytes.h"
#include "common/error.h"
#include "server/runs/engines.h"

MUST_USE bool openapi_make(const struct engines *engines, struct bytes *ret_document,
                           struct error *err);
