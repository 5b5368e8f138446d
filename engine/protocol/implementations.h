/* Which implementation does each pass of each layer, as JSON text in one line:
 *     {"conv1":{"forward":"brgconv:avx512_core","backward_weights":"jit:avx512_core"}}
 * It stays text on its way from the worker to the API, because no code in between reads it.
 */
#pragma once

#include "common/error.h"
#include "common/limits.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define IMPLEMENTATION_NAME_MAX 63 /* bytes of a layer, a pass, a name */

struct implementation {
    const char *layer, *pass, *name; /* printable ASCII; a layer has each pass once */
};

/* The text of a list; layers and passes in the order of their first appearance. The caller frees
 * it. NULL, with the reason, if the list breaks a rule above. */
MUST_USE char *implementations_to_text(const struct implementation *list, size_t count,
                                       struct error *err);

/* The same from a worker's JSON. ERROR_INVALID names the field "implementations". */
MUST_USE char *implementations_from_json(json_t *json, struct error *err);
