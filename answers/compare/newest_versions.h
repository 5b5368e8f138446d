/* The newest version of each engine that anything was measured with: by the order of versions,
 * never by who reported last. */
#pragma once

#include "db/standings/standings.h"

struct newest_versions {
    struct {
        const char *engine, *version; /* into the standings */
    } list[16];
    size_t count;
};

struct newest_versions newest_versions_find(const struct standings *standings);

/* NULL where nothing was measured with the engine. */
const char *newest_version_of(const struct newest_versions *newest, const char *engine);

/* Whether what was measured with `version` was measured with an older one than the newest; false
 * where either is not known. */
bool newest_version_is_newer(const struct newest_versions *newest, const char *engine,
                             const char *version);
