/* One piece of memory for everything large, laid out by lifetime: two buffers that are never
 * needed at the same time may share a place. */
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

#define ARENA_MAX 320

struct arena {
    int count;
    struct arena_buffer {
        size_t bytes, offset;
        int first, last; /* the times at which it is needed, both included */
    } buffers[ARENA_MAX];
    size_t total;
    char *memory;
    bool huge_pages;
};

/* Asks for a buffer and returns its number; -1 when there are too many. */
int arena_ask(struct arena *arena, size_t bytes, int first, int last);

/* Finds a place for each: arena->total is what arena_take() will take. */
void arena_lay_out(struct arena *arena);

/* Takes the memory, in huge pages where the system gives them. It is not touched: the system
 * places each page near the thread that writes it first. */
MUST_USE bool arena_take(struct arena *arena, struct error *err);

/* Where buffer `number` is. */
void *arena_at(const struct arena *arena, int number);

/* A zeroed one is fine. */
void arena_free(struct arena *arena);
