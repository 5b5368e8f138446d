/* Allocation that never returns NULL: the process ends when memory runs out. The database
 * survives a kill at any moment, so nothing is lost, and no caller handles the failure. jansson
 * allocates the same way. Use plain malloc() only where the size comes from outside, and report
 * its failure. These work as their namesakes in <stdlib.h> and <string.h>; free() frees. A size
 * of 0 counts as 1. */
#pragma once

#include <stdarg.h>
#include <stddef.h>

#define ALLOCATES(...)                                                                           \
    __attribute__((returns_nonnull, warn_unused_result, alloc_size(__VA_ARGS__)))

void *xmalloc(size_t size) ALLOCATES(1) __attribute__((malloc));
void *xcalloc(size_t count, size_t size) ALLOCATES(1, 2) __attribute__((malloc));
void *xrealloc(void *old, size_t size) ALLOCATES(2);
void *xreallocarray(void *old, size_t count, size_t size) ALLOCATES(2, 3);
void *xmemdup(const void *data, size_t size) ALLOCATES(2) __attribute__((malloc));
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull, warn_unused_result));
char *xstrndup(const char *text, size_t length)
    __attribute__((malloc, returns_nonnull, warn_unused_result));
char *xasprintf(const char *format, ...)
    __attribute__((format(printf, 1, 2), returns_nonnull, warn_unused_result));
char *xvasprintf(const char *format, va_list arguments)
    __attribute__((format(printf, 1, 0), returns_nonnull, warn_unused_result));

/* Room for one more item at the end of an array that doubles as it grows:
 *     list->rows = xgrow(list->rows, list->count, &list->room, sizeof *list->rows);
 *     list->rows[list->count++] = row; */
void *xgrow(void *items, size_t count, size_t *room, size_t item_size)
    __attribute__((returns_nonnull, warn_unused_result));

/* Ends the process: the last line of its log says how much was asked for. Async-signal-safe. */
_Noreturn void memory_is_out(size_t size);
