/* What a worker may say: one JSON object a line on its standard output, and nothing else there.
 * engine/PROTOCOL.md is this file for people who write engines in other languages. */
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PROTOCOL_VERSION 1
#define SOFTWARE_MAX 160

/* hello, then step*, then done; or failed at any point after hello. */
enum event_type { EVENT_HELLO, EVENT_STEP, EVENT_DONE, EVENT_FAILED };

struct event {
    enum event_type type;
    union {
        struct {
            long long protocol;          /* the server refuses any but its own */
            char software[SOFTWARE_MAX]; /* who is speaking: name and versions */
        } hello;
        struct {
            long long index; /* 0, 1, 2 ... without a gap */
            long long nanoseconds;
            double loss;
        } step;
        struct {
            long long steps; /* must equal the step events seen */
        } done;
        struct {
            char message[160];
        } failed;
    };
};

/* Reads one line, without its newline. Unknown members are skipped: an engine may say more than
 * we know. *ret_event is written only on success. */
bool event_read(const char *line, size_t length, struct event *ret_event, struct error *err)
    __attribute__((warn_unused_result));

/* Writes one line and flushes it. */
bool event_write(FILE *out, const struct event *event, struct error *err)
    __attribute__((warn_unused_result));
