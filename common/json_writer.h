/* Writes JSON straight into bytes. Most of a run is JSON text already (its spec); building a tree
 * first would cost more than the query.
 *     struct json_writer out = {.bytes = &reply->body};
 *     jsonw_open(&out, NULL, '{'); jsonw_text(&out, "id", id); jsonw_close(&out, '}'); */
#pragma once

#include "common/bytes.h"
#include "common/json_scan.h"

#include <stdbool.h>

struct json_writer {
    struct bytes *bytes;
    bool failed; /* the limit was reached: the output is unusable */
    bool comma;  /* the next value needs one before it */
    int depth;   /* of open brackets */
    bool stored; /* texts and numbers are written as json_text() writes them */

    /* In objects at nesting depth `only_depth`, only these members are written; NULL-terminated.
     * NULL: all members of every object. */
    const char *const *only;
    int only_depth;
    int skipped; /* open brackets inside a member that is left out */
};

/* A key of NULL writes an element of an array, or the outermost value. */
void jsonw_open(struct json_writer *out, const char *key, char bracket);
void jsonw_close(struct json_writer *out, char bracket);
void jsonw_text(struct json_writer *out, const char *key,
                const char *text); /* NULL writes null */
void jsonw_integer(struct json_writer *out, const char *key, long long number);
void jsonw_number(struct json_writer *out, const char *key, double number); /* NaN writes null */
void jsonw_bool(struct json_writer *out, const char *key, bool truth);
void jsonw_null(struct json_writer *out, const char *key);
void jsonw_raw(struct json_writer *out, const char *key,
               const char *text); /* JSON already; NULL is null */
void jsonw_raw_span(struct json_writer *out, const char *key,
                    struct span span); /* the same; start NULL is null */
void jsonw_time(struct json_writer *out, const char *key,
                long long calendar_us); /* 0 writes null */
