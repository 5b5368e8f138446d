/* The OpenAPI document: server/http/openapi.json, completed at start from other tables (limits of
 * a spec, names of engines). */
#pragma once

#include "common/bytes.h"
#include "common/error.h"
#include "server/runs/engines.h"

bool openapi_make(const struct engines *engines, struct bytes *ret_document, struct error *err)
    __attribute__((warn_unused_result));
