/* Which valid specs the native engine can train. The server checks before it queues a run, the
 * worker checks again. */
#pragma once

#include "common/error.h"
#include "engine/spec/run_spec.h"

#include <stdbool.h>

/* ERROR_UNABLE names the field. */
MUST_USE bool native_can_train(const struct run_spec *spec, struct error *err);
