/* The document that describes the API. Its text is server/http/openapi.json; what other tables
 * know better (limits of a spec, names of engines) is put in when the server starts. */
#pragma once

#include "common/bytes.h"
#include "common/error.h"
#include "server/runs/engines.h"

bool openapi_make(const struct engines *engines, struct bytes *ret_document, struct error *err)
    __attribute__((warn_unused_result));
