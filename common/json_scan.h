/* Walks over JSON text without building a tree: ten thousand runs a second are read, and most of
 * their members are kept as text. Never reads at or after `end`. */
#pragma once

#include "common/error.h"
#include "common/known_names.h"

#include <stdbool.h>
#include <stddef.h>

#define JSON_SCAN_DEPTH 32    /* nested arrays and objects */
#define JSON_SCAN_MEMBERS 128 /* an object has fewer */

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

/* Skips blanks, then takes the character if it comes next. */
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

/* The text between quotes, with escapes unchanged. Does not check UTF-8. */
MUST_USE bool json_scan_string(struct json_scan *scan, struct span *ret_inside);

/* Any value, with its quotes and brackets, without blanks around it. Strict, except that UTF-8 is
 * not checked. False also for too deep nesting, a duplicate or escaped name, and a number that
 * does not fit: jansson can read all that passes here. */
MUST_USE bool json_scan_value(struct json_scan *scan, struct span *ret_value);

/* Finds the end of a value by its brackets and quotes only: for values that are parsed strictly
 * later. */
MUST_USE bool json_scan_extent(struct json_scan *scan, struct span *ret_value);

/* The members of an object, one per call: call after '{' was taken, with `*first` true. The name
 * keeps its escapes, so a name with escapes is unknown. */
enum json_scan_step { JSON_SCAN_MEMBER, JSON_SCAN_END, JSON_SCAN_BROKEN };
enum json_scan_step json_scan_member(struct json_scan *scan, bool *first, struct span *ret_name);

/* The same for elements: JSON_SCAN_MEMBER where one is next. */
enum json_scan_step json_scan_element(struct json_scan *scan, bool *first);

bool span_is(struct span span, const char *text);

/* ERROR_INVALID for an unknown member ("steps.nanosecond"), with the known ones; `where` may be
 * "". A typo must not lose data. */
bool json_scan_refuse_name(const char *where, struct span name, const struct known_names *known,
                           struct error *err);
