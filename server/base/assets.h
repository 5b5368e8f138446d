/* The page, embedded into the program at build time by cmake/embed.cmake. */
#pragma once

#include <stddef.h>

struct asset {
    const char *name; /* index.html; or with a hash of all files: main.js, style.css, d3.js */
    const char *content_type;
    const char *bytes;
    size_t size;
    const char *packed; /* the same, as gzip makes it */
    size_t packed_size;
};

extern const struct asset assets[];
extern const size_t asset_count;
extern const char page_etag[]; /* the hash, in quotes */

/* server/http/openapi.json, embedded too. */
extern const char openapi_source[];

/* db/contenders/published.ndjson, embedded too; see server/prices/published.h. */
extern const char published_source[];
