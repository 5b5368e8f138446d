/* Libraries that are loaded before an engine because its spec wants another allocator, or another
 * OpenMP runtime, than the one it was built with. */
#pragma once

#include "common/error.h"
#include "engine/spec/run_spec.h"

#include <stdbool.h>
#include <stddef.h>

#define PRELOAD_MAX 1024

/* Writes what LD_PRELOAD has to be, "" where the spec wants nothing of this kind. `root` stands
 * before every folder that is searched ("" but in tests). ERROR_UNABLE names the first field
 * whose library is not installed here, and each missing library with its Debian package. */
MUST_USE bool preload_find(const struct run_spec *spec, const char *root,
                           char ret_list[PRELOAD_MAX], struct error *err);
