/* What of a lawful spec the engine of this house can train. The server asks before it queues a
 * run for it, the worker asks again. */
#pragma once

#include "common/error.h"
#include "engine/spec/run_spec.h"

#include <stdbool.h>

/* ERROR_UNABLE names the field. */
MUST_USE bool native_can_train(const struct run_spec *spec, struct error *err);
