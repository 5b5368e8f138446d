/* Replaces aligned_alloc() of a test program, which gives tensors their memory: while ration.on
 * is set, the call of our own code behind `allowed` others returns NULL. Calls from libraries
 * always succeed. */
#pragma once

#include "common/error.h"
#include "tests/test.h"

#include <errno.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif
/* These run before a sanitizer is ready for instrumented code. */
#define PLAIN __attribute__((no_sanitize("address", "thread", "undefined")))

#ifdef SANITIZED
#define BELOW_ALIGNED __interceptor_aligned_alloc
#else
#define BELOW_ALIGNED __libc_memalign
#endif
void *BELOW_ALIGNED(size_t alignment, size_t size);

extern const char __executable_start, etext; /* the linker's: where this program's code is */

static volatile struct {
    long long allowed, refused;
    bool on;
} ration;

PLAIN static bool refuses(const void *caller)
{
    const char *from = caller;

    if (!ration.on || from < &__executable_start || from >= &etext || ration.allowed-- != 0)
        return false;
    ration.refused++;
    errno = ENOMEM;
    return true;
}

PLAIN void *aligned_alloc(size_t alignment, size_t size)
{
    return refuses(__builtin_return_address(0)) ? NULL : BELOW_ALIGNED(alignment, size);
}

/* Attempts something with more allocations each time before the one that fails, until none does:
 * each failure has a reason. */
static inline void survive_shortages(bool (*attempt)(void *user, struct error *err), void *user)
{
    long long shortages = -1;
    bool refused = true;

    for (; refused && shortages < 5000; shortages++) {
        struct error err = {0};
        bool ok;

        ration.allowed = shortages + 1;
        ration.refused = 0;
        ration.on = true;
        ok = attempt(user, &err);
        ration.on = false;
        refused = ration.refused > 0;
        EXPECT_INT(ok, !refused);
        EXPECT_INT(err.kind, refused ? ERROR_INTERNAL : ERROR_NONE);
    }
    EXPECT(!refused);      /* because nothing was left to fail */
    EXPECT(shortages > 0); /* and something was */
    printf("       %lld shortages\n", shortages);
}
