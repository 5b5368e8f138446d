#include "engine/train/canary.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "engine/train/host.h"

#include <stdbool.h>

#define SLICES 15                 /* of each kind; odd, so that there is one in the middle */
#define ROUNDS (1L << 18)         /* a slice; of 64 additions each: 4 to 8 ms at 4 to 2 GHz */
#define COPIED ((size_t)32 << 20) /* bytes a slice; with where they go, twice that is touched */

/* Sixty-four additions, each of which waits for the one before: one cycle each. They are of two
 * registers, because there are processors that fold an addition of a constant into the one before
 * it, for nothing; and in one piece, so that no compiler puts anything between them. */
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

static double hertz(void)
{
    long long start = host_clock_ns();
    unsigned long sum = 0;

    for (long i = 0; i < ROUNDS; i++)
        sum = add_64(sum, (unsigned long)start);
    /* The clock is not read before the last addition is done. */
    __asm__ volatile("" ::"r"(sum) : "memory");
    return per_second(64.0 * ROUNDS, host_clock_ns() - start);
}

static double copy_bytes_per_second(char (*buffers)[COPIED])
{
    long long start = host_clock_ns();

    memcpy(buffers[1], buffers[0], COPIED);
    __asm__ volatile("" ::"r"(buffers) : "memory"); /* somebody might read it */
    return per_second((double)COPIED, host_clock_ns() - start);
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static double median(double values[SLICES])
{
    qsort(values, SLICES, sizeof values[0], by_value);
    return values[SLICES / 2];
}

struct canary canary_sing(void)
{
    static char buffers[2][COPIED]; /* taken from the system when first touched */
    static bool touched;
    double clocks[SLICES], copies[SLICES];

    if (!touched)
        memset(buffers, 1, sizeof buffers); /* not zero: pages could be one and the same */
    touched = true;
    for (int i = 0; i < SLICES; i++) {
        clocks[i] = hertz();
        copies[i] = copy_bytes_per_second(buffers);
    }
    return (struct canary){.hertz = median(clocks), .copy_bytes_per_second = median(copies)};
}
