/* What a worker may say: one JSON object a line on its standard output, and nothing else there.
 * engine/protocol/PROTOCOL.md is this file for people who write engines in other languages. */
#pragma once

#include "common/error.h"
#include "common/limits.h"
#include "engine/protocol/details.h"
#include "engine/protocol/implementations.h"
#include "engine/trace/canary_reading.h"
#include "engine/trace/certified.h"
#include "engine/trace/steps.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PROTOCOL_VERSION 1

/* hello, then step and canary in any mixture, then done; or failed at any point after hello. */
enum event_type { EVENT_HELLO, EVENT_STEP, EVENT_CANARY, EVENT_DONE, EVENT_FAILED };

/* A plain value but for one pointer: event_clear() frees what a "done" owns. What may be left out
 * is 0 where it was. */
struct event {
    enum event_type type;
    union {
        struct {
            long long protocol;            /* the server refuses any but its own */
            char software[SOFTWARE_SIZE];  /* the engine: name and versions */
            struct engine_details details; /* may be left out, each of them */
        } hello;
        struct {
            long long index; /* 0, 1, 2 ... without a gap */
            long long nanoseconds;
            double loss;
            struct step_split split; /* may be left out; at most `nanoseconds` in sum */
        } step;
        struct canary canary;
        struct {
            long long steps;             /* must equal the step events seen */
            long long samples;           /* may be left out; that it has trained on */
            long long peak_memory_bytes; /* may be left out; of its process */
            char *implementations;       /* owned text of implementations.h, or NULL */
            struct certified certified;  /* may be left out, each of them */
        } done;
        struct {
            char message[160];
        } failed;
    };
};

/* Reads one line, without its newline. Unknown members are skipped: an engine may say more than
 * we know. *ret_event is written only on success, and the caller then frees it with
 * event_clear(). */
MUST_USE bool event_read(const char *line, size_t length, struct event *ret_event,
                         struct error *err);

/* Writes one line and flushes it. The event stays the caller's. */
MUST_USE bool event_write(FILE *out, const struct event *event, struct error *err);

/* Frees what the event owns; a zeroed event is fine, and so is one that owns nothing. */
void event_clear(struct event *event);
