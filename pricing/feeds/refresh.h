/* Reads one scope of a feed, page by page, as patiently as is polite: what may pass is tried
 * again after a while (a shorter one in haste, common/haste.h), what is wrong is not. Knows no
 * network and no database. */
#pragma once

#include "pricing/feeds/source.h"

struct refresh_parts {
    fetch_fn *fetch;
    void *fetcher;
    bool (*wait)(void *user, long long nanoseconds); /* false: give up, somebody stops us */
    void *user;
    unsigned seed;              /* of the jitter */
    long long patience_seconds; /* as in struct fetch_request */
};

enum refresh_end {
    REFRESH_NEW,       /* the basket holds what there is */
    REFRESH_UNCHANGED, /* what we had is what there is */
    REFRESH_FAILED,
};

/* What is worth keeping of a reading besides its basket. */
struct refresh_trace {
    char etag[128], last_modified[64]; /* of a feed with one page; else "" */
    long long last_modified_us;
    int status;       /* of the last answer; 0 for none */
    int pages, asked; /* pages that came, and requests that they took */
    long long bytes;
};

#define REFRESH_PAGES_MAX 1000

/* *ret_trace is filled as far as it came, whatever the end. */
MUST_USE enum refresh_end refresh_scope(const struct refresh_parts *parts,
                                        const struct reading *reading,
                                        struct refresh_trace *ret_trace, struct error *err);

/* The regions that a feed has, into reading->scopes; for sources with `list`. */
MUST_USE bool refresh_scopes(const struct refresh_parts *parts, const struct reading *reading,
                             struct error *err);
