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
    char name[REGION_SIZE]; /* the region; "" for a feed without regions */
    char address[96];       /* the feed's own name for it, if different */
    bool minor;             /* read only if settings name it */
};

struct scopes {
    size_t count;
    struct scope list[SCOPES_MAX];
};

enum source_needs {
    NEEDS_NOTHING = 0,
    NEEDS_REGIONS = 1, /* the settings must list regions */
    NEEDS_CREDENTIALS = 2,
    NEEDS_KEY = 4,
    NEEDS_TYPES = 8, /* the settings must list instance types */
    NEEDS_FILE = 16, /* its url is a path from the settings */
};

struct source;

/* The parts of a walk that are the same for all pages. Texts live as long as the walk. */
struct reading {
    const struct source *source;
    const char *url; /* base URL of the feed, without a final '/' */
    struct scope scope;
    bool committed;    /* include prices of commitments, if the source makes them optional */
    const char *types; /* wanted instance types, with commas; "" for all */
    const struct credentials *credentials;   /* NULL where there are none */
    const char *key;                         /* "" where there is none */
    const char *etag, *last_modified, *mark; /* of the last good reading; "" if none */
    long long now_us;
    struct price_batch *batch;
    struct scopes *scopes; /* for readers that list scopes; else NULL */
};

enum reading_state {
    READING_ASKS, /* there is another page */
    READING_DONE,
    READING_UNCHANGED, /* the stored data are current, as after a 304 */
    READING_FAILED,    /* err says why; ERROR_BUSY: retry the walk at once */
};

struct document_form;

struct reader_ops {
    /* close() releases the reader; `reading` outlives it. */
    void *(*open)(const struct reading *reading, struct error *err);
    /* Fills in the request of the next page, zeroed except for max_bytes. */
    bool (*ask)(void *reader, struct fetch_request *request, struct error *err);
    fetch_take_fn *take;
    /* Called after all bytes of a page with status 200. */
    enum reading_state (*page)(void *reader, const struct fetch_response *response,
                               struct error *err);
    void (*close)(void *reader);
    const struct document_form *form; /* of a reader that json_page.h opens, instead of open() */
};

struct source {
    const char *name;     /* "aws-spot-page": in settings, paths, rows */
    const char *title;    /* for people: its kind of prices */
    const char *provider; /* "aws", "azure", "gcp" */
    const char *url;      /* default base URL */
    bool third_party;     /* run by neither the provider nor the user */
    bool on;              /* on by default */
    bool has_spot;        /* has spot prices, so it ages within hours */
    bool asks_committed;  /* reads its prices of commitments only if settings say so */
    bool stands_in;       /* off, but on for machines and runs of its provider without a key */
    const char *usual_region; /* default region; NULL: none */
    unsigned needs;           /* of enum source_needs */
    long long period_seconds;
    /* The highest age of its data in normal operation, if it publishes or is read seldom. 0: less
     * than the lifetime of its kinds of price. */
    long long pace_seconds;
    size_t max_bytes;              /* of a page, unpacked */
    const char *const *sentinels;  /* types that every complete reading has; NULL for none */
    size_t min_regions;            /* that every complete reading has */
    const struct reader_ops *list; /* lists the scopes; NULL: from the settings */
    const struct reader_ops *read;
};

/* All feeds, the preferred ones first; NULL-terminated. */
extern const struct source *const sources[];
const struct source *source_find(const char *name); /* NULL when there is none */

/* The name of sources[place]; NULL past the end. */
const char *source_name(size_t place);

/* The pace of a feed, for freshness_of(); 0 for an unknown feed. */
long long source_pace_us(const char *name);

/* For readers: parses JSON, or fails with ERROR_UPSTREAM. Never NULL with success. */
MUST_USE json_t *source_json(const char *text, size_t length, struct error *err);

/* For struct reader_ops: fills in the request for a feed with a single page at its address, with
 * the validators of the last good reading. The reader begins with its `const struct reading *`.
 */
MUST_USE bool source_ask_once(void *reader, struct fetch_request *request, struct error *err);

/* "16 GiB", "24,576 GiB", "128.0 GiB"; 0 for anything else. */
double source_gib(const char *text);

/* A number of vCPUs; 0 for anything else. */
double source_count(const char *text);

/* A string member, or "" for anything else. */
const char *source_text(const json_t *object, const char *name);

/* The error in a refusal of AWS (JSON or XML), Azure or Google: "Code: message". */
void source_refusal(const struct fetch_response *response, char *ret_text, size_t size);
