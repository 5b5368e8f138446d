/* A feed: somebody who tells prices, where, and how to read what they say. One file each
 * (<provider>_<feed>.c) with a `const struct source`; sources.c lists them.
 *
 * A feed is read in scopes: one region each, or all at once. Reading a scope is a walk over
 * pages: open -> (ask -> take* -> page)* -> close and brings a basket, which is accepted or not
 * by somebody else. */
#pragma once

#include "common/limits.h"
#include "pricing/feeds/fetch.h"
#include "pricing/feeds/price_batch.h"
#include "pricing/feeds/splitter.h"

#include <jansson.h>

#define SCOPES_MAX 160

struct scope {
    char name[REGION_SIZE]; /* the region; "" for a feed that is one whole */
    char address[96];       /* what the feed calls it, where that is something else */
    bool minor;             /* not read unless settings name it */
};

struct scopes {
    size_t count;
    struct scope list[SCOPES_MAX];
};

enum source_needs {
    NEEDS_NOTHING = 0,
    NEEDS_REGIONS = 1, /* which ones: settings must say */
    NEEDS_CREDENTIALS = 2,
    NEEDS_KEY = 4,
    NEEDS_TYPES = 8, /* instance types: settings must say */
    NEEDS_FILE = 16, /* its url is a path, which settings must say */
};

struct source;

/* What is the same for all pages of one walk. Texts live as long as it. */
struct reading {
    const struct source *source;
    const char *url; /* where the feed is; has no '/' at its end */
    struct scope scope;
    bool committed;    /* prices of commitments are wanted, where the source asks for that */
    const char *types; /* instance types that are wanted, with commas; "" where not said */
    const struct credentials *credentials;   /* NULL where there are none */
    const char *key;                         /* "" where there is none */
    const char *etag, *last_modified, *mark; /* of the last good reading; "" for none */
    long long now_us;
    struct price_batch *batch;
    struct scopes *scopes; /* for readers that list scopes; else NULL */
};

enum reading_state {
    READING_ASKS, /* there is another page */
    READING_DONE,
    READING_UNCHANGED, /* what we have is what there is, as after a 304 */
    READING_FAILED,    /* err says why; ERROR_BUSY: the walk may be tried again at once */
};

struct reader_ops {
    /* The reader is released with close(); `reading` lives longer. */
    void *(*open)(const struct reading *reading, struct error *err);
    /* Fills in the request of the next page; all of it is zeroed but max_bytes. */
    bool (*ask)(void *reader, struct fetch_request *request, struct error *err);
    fetch_take_fn *take;
    /* After a page with status 200; its bytes were all taken. */
    enum reading_state (*page)(void *reader, const struct fetch_response *response,
                               struct error *err);
    void (*close)(void *reader);
};

struct source {
    const char *name;     /* "aws-spot-page": in settings, paths, rows */
    const char *title;    /* for people: what kind of price this is */
    const char *provider; /* "aws", "azure", "gcp" */
    const char *url;      /* where it is, unless settings say otherwise */
    bool third_party;     /* neither the provider nor the person who asks */
    bool on;              /* unless settings say otherwise */
    bool has_spot;        /* some of its prices are, and so it ages by the hour */
    bool
        asks_committed; /* it has prices of commitments, and reads them only where settings say */
    bool stands_in;     /* off, but on for machines and runs of its provider without a key */
    const char *usual_region; /* that is read where no setting names one; NULL: none is */
    unsigned needs;           /* of enum source_needs */
    long long period_seconds;
    /* The oldest that what it says may be although all goes well: it publishes so often, and is
     * read so often. 0: its prices are of kinds that live longer than it takes. */
    long long pace_seconds;
    size_t max_bytes;              /* of a page, unpacked */
    const char *const *sentinels;  /* types that a plausible whole must have; NULL for none */
    size_t min_regions;            /* that a plausible whole must have */
    const struct reader_ops *list; /* finds the scopes; NULL: settings say them */
    const struct reader_ops *read;
};

/* All feeds, in the order in which they are accepted where several know a price; NULL-ended. */
extern const struct source *const sources[];
const struct source *source_find(const char *name); /* NULL when there is none */

/* The name of sources[place]; NULL behind the last. */
const char *source_name(size_t place);

/* The pace of a feed, for freshness_of(); 0 where there is no such feed. */
long long source_pace_us(const char *name);

/* For readers: makes bytes into JSON, or fails with ERROR_UPSTREAM. Never NULL with success. */
MUST_USE json_t *source_json(const char *text, size_t length, struct error *err);

/* Fills in the request for a page that is asked for once, at this address, with what is known of
 * the last good reading. */
MUST_USE bool source_ask_once(const struct reading *reading, const char *url,
                              struct fetch_request *request, struct error *err);

/* "16 GiB", "24,576 GiB", "128.0 GiB"; 0 for anything else. */
double source_gib(const char *text);

/* A number of vCPUs; 0 for anything else. */
double source_count(const char *text);

/* A member that is a string, or "" where it is anything else. */
const char *source_text(const json_t *object, const char *name);

/* What AWS, in JSON or XML, Azure or Google say in the body of a refusal: "Code: message". */
void source_refusal(const struct fetch_response *response, char *ret_text, size_t size);
