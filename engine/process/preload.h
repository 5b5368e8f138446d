/* Libraries to preload for an engine, if its spec wants another allocator or OpenMP runtime than
 * the engine's own. */
#pragma once

#include "common/error.h"
#include "engine/spec/run_spec.h"

#include <stdbool.h>
#include <stddef.h>

#define PRELOAD_MAX 1024

/* Writes LD_PRELOAD, "" if the spec needs none. `root` is a prefix of every searched folder (""
 * except in tests). ERROR_UNABLE names the first field whose library is not installed, and each
 * missing library with its Debian package. */
MUST_USE bool preload_find(const struct run_spec *spec, const char *root,
                           char ret_list[PRELOAD_MAX], struct error *err);
