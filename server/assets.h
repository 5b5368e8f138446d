/* The page, embedded into the program at build time by cmake/embed.cmake. */
#pragma once

#include <stddef.h>

struct asset {
    const char *name; /* as in web/ */
    const char *content_type;
    const char *bytes;
    size_t size;
};

extern const struct asset assets[];
extern const size_t asset_count;

/* server/openapi.json, embedded too. */
extern const char openapi_source[];

/* db/published.ndjson, embedded too; see server/published.h. */
extern const char published_source[];
