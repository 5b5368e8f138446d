/* The newest measured version of each engine, by version order and not by time of report. */
#pragma once

#include "db/standings/standings.h"

struct newest_versions {
    struct {
        const char *engine, *version; /* into the standings */
    } list[16];
    size_t count;
};

struct newest_versions newest_versions_find(const struct standings *standings);

/* NULL if nothing was measured with the engine. */
const char *newest_version_of(const struct newest_versions *newest, const char *engine);

/* True if `version` is older than the newest; false if either is unknown. */
bool newest_version_is_newer(const struct newest_versions *newest, const char *engine,
                             const char *version);
