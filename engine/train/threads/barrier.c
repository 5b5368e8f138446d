#include "engine/train/threads/barrier.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* About 20 microseconds: longer than threads with equal work are apart, shorter than a time
 * slice. */
#define SPINS 2000

static void sleep_while(atomic_uint *round, unsigned seen)
{
    syscall(SYS_futex, round, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void wake_all(atomic_uint *round)
{
    syscall(SYS_futex, round, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void meeting_join(struct meeting *meeting)
{
    unsigned seen = atomic_load(&meeting->round);

    if (atomic_fetch_add(&meeting->arrived, 1) == meeting->count - 1) {
        atomic_store(&meeting->arrived, 0);
        atomic_store(&meeting->round, seen + 1);
        wake_all(&meeting->round);
        return;
    }
    for (int i = 0; i < SPINS && atomic_load(&meeting->round) == seen; i++)
        __builtin_ia32_pause();
    while (atomic_load(&meeting->round) == seen)
        sleep_while(&meeting->round, seen);
}
