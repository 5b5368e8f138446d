/* Walks over JSON text without building anything of it: a run is read ten thousand times a
 * second, and most of its members are kept as the text they are. Nothing is read from `end` on.
 */
#pragma once

#include "common/error.h"
#include "common/known_names.h"

#include <stdbool.h>
#include <stddef.h>

#define JSON_SCAN_DEPTH 32    /* of arrays and objects in each other */
#define JSON_SCAN_MEMBERS 128 /* of one object have to be fewer */

/* A part of the text that a document was read from. */
struct span {
    const char *start;
    size_t length;
};

struct json_scan {
    const char *at, *end;
};

static inline struct json_scan json_scan_of(struct span span)
{
    return (struct json_scan){span.start, span.start + span.length};
}

static inline void json_scan_blanks(struct json_scan *scan)
{
    while (scan->at < scan->end &&
           (*scan->at == ' ' || *scan->at == '\n' || *scan->at == '\r' || *scan->at == '\t'))
        scan->at++;
}

/* Skips blanks, then takes the character if it is the next. */
static inline bool json_scan_take(struct json_scan *scan, char character)
{
    json_scan_blanks(scan);
    if (scan->at >= scan->end || *scan->at != character)
        return false;
    scan->at++;
    return true;
}

/* Nothing but blanks is left. */
static inline bool json_scan_is_over(struct json_scan *scan)
{
    json_scan_blanks(scan);
    return scan->at == scan->end;
}

/* What stands between quotes, escapes as they are. UTF-8 is not looked at. */
MUST_USE bool json_scan_string(struct json_scan *scan, struct span *ret_inside);

/* Any value, with its quotes and brackets and without blanks around it: strictly, but for UTF-8,
 * which is not looked at. False also where it is nested too deep, a name is there twice or is
 * written with escapes, or a number does not fit: jansson would read what passes here. */
MUST_USE bool json_scan_value(struct json_scan *scan, struct span *ret_value);

/* How far a value reaches, by its brackets and quotes only: for values that somebody reads
 * strictly afterwards. */
MUST_USE bool json_scan_extent(struct json_scan *scan, struct span *ret_value);

/* The members of an object, one after another: after '{' was taken, with `*first` true. The name
 * is as it is written, so one with escapes is none that we know. */
enum json_scan_step { JSON_SCAN_MEMBER, JSON_SCAN_END, JSON_SCAN_BROKEN };
enum json_scan_step json_scan_member(struct json_scan *scan, bool *first, struct span *ret_name);

/* The same for elements: JSON_SCAN_MEMBER where one is next. */
enum json_scan_step json_scan_element(struct json_scan *scan, bool *first);

bool span_is(struct span span, const char *text);

/* ERROR_INVALID for an unknown member, "steps.nanosecond", with those that are known; `where` may
 * be "". A typo must not lose anything. */
bool json_scan_refuse_name(const char *where, struct span name, const struct known_names *known,
                           struct error *err);
