#include "engine/train/threads/barrier.h"

#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* About 20 microseconds: longer than threads with equal work are apart, shorter than a time
 * slice. */
#define SPINS 2000

/* Says to the core that this thread only waits. */
static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb"); /* longer than yield, which most cores take for nothing */
#endif
}

static void sleep_while(atomic_uint *round, unsigned seen)
{
    syscall(SYS_futex, round, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void wake_all(atomic_uint *round)
{
    syscall(SYS_futex, round, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void barrier_wait(struct barrier *barrier)
{
    unsigned seen = atomic_load(&barrier->round);

    assert(atomic_load(&barrier->count) > 0);
    if (atomic_fetch_add(&barrier->arrived, 1) == barrier->count - 1) {
        atomic_store(&barrier->arrived, 0);
        atomic_store(&barrier->round, seen + 1);
        wake_all(&barrier->round);
        return;
    }
    for (int i = 0; i < SPINS && atomic_load(&barrier->round) == seen; i++)
        pause_briefly();
    while (atomic_load(&barrier->round) == seen)
        sleep_while(&barrier->round, seen);
}
