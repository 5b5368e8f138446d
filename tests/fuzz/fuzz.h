/* What every fuzz target shares. A target states a property that must hold for every input:
 *     int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { ... ALWAYS(truth); } */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Like assert(), in every build. */
#define ALWAYS(truth)                                                                            \
    do {                                                                                         \
        if (!(truth)) {                                                                          \
            fprintf(stderr, "%s:%d: not always true: %s\n", __FILE__, __LINE__, #truth);         \
            abort();                                                                             \
        }                                                                                        \
    } while (0)

/* The input as text, ending at its first NUL, in memory of exactly its size: one byte too far is
 * seen by the sanitizer. The caller frees it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = size > 0 ? strndup((const char *)data, size) : strdup("");

    ALWAYS(text != NULL);
    return text;
}
