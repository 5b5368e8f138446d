/* Shared by benchmarks of kernels: thread clock, medians, memory like the engine's, and the
 * convolutions of ResNet-50. */
#pragma once

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct bench_layer {
    long in, out, size, kernel, stride, count; /* size: of the input */
};

/* A 1x1 with stride 2 is given every second pixel, as the plan does. */
__attribute__((unused)) static const struct bench_layer resnet50_layers[] = {
    {3, 64, 224, 7, 2, 1},    {64, 64, 56, 1, 1, 1},    {64, 64, 56, 3, 1, 3},
    {64, 256, 56, 1, 1, 4},   {256, 64, 56, 1, 1, 2},   {256, 128, 56, 1, 1, 1},
    {128, 128, 56, 3, 2, 1},  {128, 512, 28, 1, 1, 4},  {256, 512, 28, 1, 1, 1},
    {512, 128, 28, 1, 1, 3},  {128, 128, 28, 3, 1, 3},  {512, 256, 28, 1, 1, 1},
    {256, 256, 28, 3, 2, 1},  {256, 1024, 14, 1, 1, 6}, {512, 1024, 14, 1, 1, 1},
    {1024, 256, 14, 1, 1, 5}, {256, 256, 14, 3, 1, 5},  {1024, 512, 14, 1, 1, 1},
    {512, 512, 14, 3, 2, 1},  {512, 2048, 7, 1, 1, 3},  {1024, 2048, 7, 1, 1, 1},
    {2048, 512, 7, 1, 1, 2},  {512, 512, 7, 3, 1, 2},
};

/* Of this thread only: others may use the processor too. */
static inline double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static inline int ascending(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static inline double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

/* Zeros in pages of 2 MB, as the engine's arena asks for. */
static inline void *pages(size_t bytes)
{
    void *memory;

    bytes = (bytes + (2 << 20)) & ~(size_t)((2 << 20) - 1);
    if (posix_memalign(&memory, 2 << 20, bytes) != 0)
        exit(1);
    madvise(memory, bytes, MADV_HUGEPAGE);
    memset(memory, 0, bytes);
    return memory;
}
