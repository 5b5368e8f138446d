/* Cleanup belongs to the scope: AUTO(release) runs release(&variable) at its end, even if the
 * variable is never read, and take() hands a pointer out of it. jansson brings its own
 * json_decrefp(). */
#pragma once

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AUTO(release) __attribute__((cleanup(release), unused))
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Returns the pointer stored at `address_of_pointer` and leaves NULL there, so that the scope's
 * release finds nothing to do. Call as take(&pointer). */
static inline void *take(void *address_of_pointer)
{
    static void *const nothing;
    void *pointer;

    memcpy(&pointer, address_of_pointer, sizeof pointer);
    memcpy(address_of_pointer, &nothing, sizeof nothing);
    return pointer;
}

static inline void freep(void *address_of_pointer)
{
    free(take(address_of_pointer));
}

static inline void fclosep(FILE **file)
{
    if (*file)
        fclose(*file);
}

/* For descriptors that start as -1. */
static inline void closep(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}
