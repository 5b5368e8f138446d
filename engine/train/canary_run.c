#include "engine/train/canary_run.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/order.h"
#include "engine/train/threads/host.h"

#include <stdbool.h>
#include <stdint.h>

#define TURNS 11
#define CLOCKS_A_TURN 5
/* 64 additions a round: a millisecond or two, which is less than what a process gets at a time
 * where others want the core too, so that most slices are whole. */
#define ROUNDS (1L << 16)
#define COPIED ((size_t)64 << 20) /* bytes a slice; with where they go, twice that is touched */
#define PAGE ((size_t)4096)

/* Sixty-four additions, one cycle each, because each waits for the one before. They add two
 * registers, because some processors fold an addition of a constant into the one before it, at no
 * cost; and they are in one piece, so that no compiler puts anything between them. */
static unsigned long add_64(unsigned long sum, unsigned long step)
{
#if defined __x86_64__
    __asm__ volatile(".rept 64\n\taddq %1, %0\n\t.endr" : "+r"(sum) : "r"(step) : "cc");
#elif defined __aarch64__
    __asm__ volatile(".rept 64\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(step));
#else
    for (int i = 0; i < 64; i++) {
        sum += step;
        __asm__ volatile("" : "+r"(sum)); /* no compiler looks through this */
    }
#endif
    return sum;
}

static double per_second(double count, long long nanoseconds)
{
    return count * (double)NS_PER_SECOND / (double)(nanoseconds > 0 ? nanoseconds : 1);
}

static double canary_hertz(void)
{
    long long start = host_clock_ns();
    unsigned long sum = 0;

    for (long i = 0; i < ROUNDS; i++)
        sum = add_64(sum, (unsigned long)start);
    /* The clock is not read before the last addition is done. */
    __asm__ volatile("" ::"r"(sum) : "memory");
    return per_second(64.0 * ROUNDS, host_clock_ns() - start);
}

static double copy_bytes_per_second(char *from, char *to)
{
    long long start = host_clock_ns();

    memcpy(to, from, COPIED);
    __asm__ volatile("" ::"r"(to) : "memory"); /* the compiler must assume that it is read */
    return per_second((double)COPIED, host_clock_ns() - start);
}

static double canary_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, order_ascending);
    return values[count / 2];
}

static bool touched;

long long canary_memory(void)
{
    return touched ? 2 * (long long)COPIED : 0;
}

/* Where the copy is from; behind it, where it goes. */
char *canary_room(size_t *ret_bytes)
{
    static char memory[2 * COPIED + PAGE];
    char *start = memory + (PAGE - (uintptr_t)memory % PAGE);

    if (!touched) {
        host_ask_huge_pages(start, 2 * COPIED);
        memset(start, 1, 2 * COPIED); /* not zero: pages of that may be one and the same */
    }
    touched = true;
    *ret_bytes = 2 * COPIED;
    return start;
}

struct canary canary_run(void)
{
    double clocks[TURNS * CLOCKS_A_TURN], copies[TURNS];
    size_t bytes;
    char *memory = canary_room(&bytes);

    for (size_t i = 0; i < TURNS; i++) {
        for (size_t k = 0; k < CLOCKS_A_TURN; k++)
            clocks[i * CLOCKS_A_TURN + k] = canary_hertz();
        copies[i] = copy_bytes_per_second(memory, memory + COPIED);
    }
    return (struct canary){.hertz = canary_median(clocks, COUNT(clocks)),
                           .copy_bytes_per_second = canary_median(copies, COUNT(copies))};
}
