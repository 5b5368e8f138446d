/* Writes JSON straight into bytes. Answers are written far more often than read, and most of a
 * run is text that is JSON already (its spec): building a tree first would cost more than the
 * query behind it.
 *     struct out out = {.bytes = &reply->body};
 *     out_open(&out, NULL, '{'); out_text(&out, "id", id); out_close(&out, '}'); */
#pragma once

#include "common/bytes.h"

#include <stdbool.h>

struct out {
    struct bytes *bytes;
    bool failed; /* the limit or the memory ended: what was written is no use */
    bool comma;  /* the next value needs one before it */
};

/* A key of NULL writes an element of an array, or the outermost value. */
void out_open(struct out *out, const char *key, char bracket);
void out_close(struct out *out, char bracket);
void out_text(struct out *out, const char *key, const char *text); /* NULL writes null */
void out_integer(struct out *out, const char *key, long long number);
void out_number(struct out *out, const char *key, double number); /* NaN writes null */
void out_bool(struct out *out, const char *key, bool truth);
void out_null(struct out *out, const char *key);
void out_raw(struct out *out, const char *key, const char *text); /* JSON already; NULL is null */
void out_time(struct out *out, const char *key, long long calendar_us); /* 0 writes null */
