/* Reads one scope of a feed, page by page. Retries temporary failures after a pause (shortened by
 * common/haste.h), and no others. Knows no network and no database. */
#pragma once

#include "pricing/feeds/source.h"

struct refresh_parts {
    fetch_fn *fetch;
    void *fetcher;
    bool (*wait)(void *user, long long nanoseconds); /* false: stop, the caller is shutting
                                                      * down */
    void *user;
    unsigned seed;              /* of the jitter */
    long long patience_seconds; /* as in struct fetch_request */
};

enum refresh_end {
    REFRESH_NEW,       /* the batch holds the new data */
    REFRESH_UNCHANGED, /* the stored data are current */
    REFRESH_FAILED,
};

/* What is kept of a reading in addition to its batch. */
struct refresh_trace {
    char etag[128], last_modified[64]; /* if the feed has one page; else "" */
    long long last_modified_us;
    int status;       /* of the last answer; 0 for none */
    int pages, asked; /* pages received, and requests made */
    long long bytes;
};

#define REFRESH_PAGES_MAX 1000

/* *ret_trace is filled as far as the reading went, in every case. */
MUST_USE enum refresh_end refresh_scope(const struct refresh_parts *parts,
                                        const struct reading *reading,
                                        struct refresh_trace *ret_trace, struct error *err);

/* Lists the regions of a feed into reading->scopes; for sources with `list`. */
MUST_USE bool refresh_scopes(const struct refresh_parts *parts, const struct reading *reading,
                             struct error *err);
