/* Memory that runs out when a test wants it to: this program's own malloc() and its relatives,
 * which every library in it uses too. For one file of a program to include.
 *
 * Only the thread that starts a ration lives on it. One that it starts would take from it at any
 * time, and a sanitizer that gets no memory for a new thread ends the program. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RATION_BELOW(name) __interceptor_##name
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RATION_BELOW(name) __interceptor_##name
#endif
#ifndef RATION_BELOW
#define RATION_BELOW(name) __libc_##name
#endif
/* These run before a sanitizer is ready for instrumented code. */
#define RATION_PLAIN __attribute__((no_sanitize("address", "thread", "undefined")))

void *RATION_BELOW(malloc)(size_t size);
void *RATION_BELOW(calloc)(size_t count, size_t size);
void *RATION_BELOW(realloc)(void *memory, size_t size);

/* Volatile, for the compiler believes that no malloc() looks at our variables. */
static volatile struct {
    long long allowed; /* allocations that still succeed; the next one fails */
    bool for_good;     /* and so do all that follow; otherwise only that one */
    long long refused;
} ration;

static __thread volatile bool ration_applies;

RATION_PLAIN static bool ration_refuses(void)
{
    if (!ration_applies || ration.allowed-- > 0 || (ration.refused > 0 && !ration.for_good))
        return false;
    ration.refused++;
    errno = ENOMEM;
    return true;
}

RATION_PLAIN void *malloc(size_t size)
{
    return ration_refuses() ? NULL : RATION_BELOW(malloc)(size);
}

RATION_PLAIN void *calloc(size_t count, size_t size)
{
    return ration_refuses() ? NULL : RATION_BELOW(calloc)(count, size);
}

RATION_PLAIN void *realloc(void *memory, size_t size)
{
    return ration_refuses() ? NULL : RATION_BELOW(realloc)(memory, size);
}

/* Sanitizers have their own of these two, which would go past us. */
RATION_PLAIN void *reallocarray(void *memory, size_t count, size_t size)
{
    if (size > 0 && count > (size_t)-1 / size) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(memory, count * size);
}

RATION_PLAIN char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);

    return copy ? memcpy(copy, text, size) : NULL;
}

static inline void ration_set(long long allowed, bool for_good)
{
    ration.allowed = allowed;
    ration.for_good = for_good;
    ration.refused = 0;
}

/* What this thread does between these two is rationed. */
static inline void ration_start(void)
{
    ration_applies = true;
}

static inline void ration_stop(void)
{
    ration_applies = false;
}
