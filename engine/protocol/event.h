/* The events of a worker: one JSON object per line on its standard output, and nothing else
 * there. engine/protocol/PROTOCOL.md documents the same for engines in other languages. */
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

/* hello, then step and canary in any order, then done; or failed at any point after hello. */
enum event_type { EVENT_HELLO, EVENT_STEP, EVENT_CANARY, EVENT_DONE, EVENT_FAILED };

/* A plain value except for one pointer: event_clear() frees what a "done" owns. Absent optional
 * members are 0. */
struct event {
    enum event_type type;
    union {
        struct {
            long long protocol;            /* must be the server's version */
            char software[SOFTWARE_SIZE];  /* the engine: name and versions */
            struct engine_details details; /* each optional */
        } hello;
        struct {
            long long index; /* 0, 1, 2 ... without a gap */
            long long nanoseconds;
            double loss;
            struct step_split split; /* optional; at most `nanoseconds` in sum */
        } step;
        struct canary canary;
        struct {
            long long steps;             /* must equal the number of step events */
            long long samples;           /* optional; samples trained on */
            long long peak_memory_bytes; /* optional; of its process */
            char *implementations;       /* owned text of implementations.h, or NULL */
            struct certified certified;  /* each optional */
        } done;
        struct {
            char message[160];
        } failed;
    };
};

/* Reads one line, without its newline. Unknown members are skipped, so that engines may report
 * more. *ret_event is written only on success; the caller frees it with event_clear(). */
MUST_USE bool event_read(const char *line, size_t length, struct event *ret_event,
                         struct error *err);

/* Writes one line and flushes it. The caller keeps the event. */
MUST_USE bool event_write(FILE *out, const struct event *event, struct error *err);

/* Frees what the event owns, if anything; a zeroed event is fine. */
void event_clear(struct event *event);
