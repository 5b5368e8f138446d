/* What every fuzz target shares. A target states a property that must hold for every input, of
 * memory of exactly its size: one byte too far is seen by the sanitizer.
 *     FUZZ(data, size) { ... ALWAYS(truth); } */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ(data, size)                                                                         \
    static void fuzz_try(const uint8_t *data, size_t size);                                      \
    int LLVMFuzzerTestOneInput(const uint8_t *fuzz_data, size_t fuzz_size)                       \
    {                                                                                            \
        fuzz_try(fuzz_data, fuzz_size);                                                          \
        return 0;                                                                                \
    }                                                                                            \
    static void fuzz_try(const uint8_t *data, size_t size)

/* The same for one that reads text: of fuzz_text(), and freed behind it. */
#define FUZZ_TEXT(text)                                                                          \
    static void fuzz_try_text(char *text);                                                       \
    FUZZ(fuzz_data, fuzz_size)                                                                   \
    {                                                                                            \
        char *fuzz_whole = fuzz_text(fuzz_data, fuzz_size);                                      \
                                                                                                 \
        fuzz_try_text(fuzz_whole);                                                               \
        free(fuzz_whole);                                                                        \
    }                                                                                            \
    static void fuzz_try_text(char *text)

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
