/* Cuts a JSON document of any size into the elements that a feed wants, while it arrives, and
 * keeps no more of it than one element. Each wanted element is handed over as its bytes, for
 * jansson; the rest is only checked for its structure. A jansson tree of the whole would take
 * 50 MB for a page of 2.7 MB, and gigabytes for AWS's file of 450 MB.
 * A path names the keys from the top with slashes between, "terms/OnDemand"; a star for a key is
 * any key, or any element of an array. How the bytes are cut into pieces changes nothing. */
#pragma once

#include "common/bytes.h"
#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

#define SPLIT_DEPTH_MAX 32
#define SPLIT_KEY_MAX 127 /* bytes of a key down to the depth of the longest path */
#define SPLIT_PATHS_MAX 8

struct split_element {
    size_t path;       /* which of the paths */
    const char *key;   /* its own last key; "" in an array */
    const char *outer; /* the key above that; "" if none */
    const char *json;  /* the value's bytes: an object, an array, a string with its quotes, ... */
    size_t length;
};

enum split_verdict {
    SPLIT_GO_ON,
    SPLIT_STOP,   /* everything wanted has arrived */
    SPLIT_FAILED, /* err says why */
};

struct splitter_rules {
    const char *const *paths; /* NULL-terminated */
    size_t element_max;       /* longer ones are counted and skipped */
    enum split_verdict (*element)(void *user, const struct split_element *element,
                                  struct error *err);
    /* If not NULL: called at the beginning of the value at this path; SPLIT_STOP ends the
     * document. Not one of `paths`, but may be a prefix of one. */
    const char *gate;
    enum split_verdict (*at_gate)(void *user, struct error *err);
    void *user;
};

struct splitter;

MUST_USE struct splitter *splitter_new(const struct splitter_rules *rules, struct error *err);
void splitter_free(struct splitter *splitter); /* NULL is fine */
void splitter_freep(struct splitter **splitter);

/* ERROR_UPSTREAM for invalid JSON. After a stop or a failure every call gives the same result. */
MUST_USE enum split_verdict splitter_feed(struct splitter *splitter, const char *data,
                                          size_t length, struct error *err);

/* At the end of the bytes: false if the document is incomplete, unless it was stopped. */
MUST_USE bool splitter_end(const struct splitter *splitter, struct error *err);

long long splitter_oversized(const struct splitter *splitter);
