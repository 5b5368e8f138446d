/* Which cases of a loop a test takes: all of them, but of ./test, which sets
 * PENNYWORTH_TEST_SEED, the one that the seed chooses. */
#pragma once

#include <stdbool.h>
#include <stdlib.h>

static inline bool share_has(size_t number, size_t count)
{
    const char *seed = getenv("PENNYWORTH_TEST_SEED");

    return !seed || (size_t)(strtoull(seed, NULL, 10) % count) == number;
}
