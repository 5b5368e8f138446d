/* What the cores do at most: peak SECONDS CPU...
 *
 * Prints one line of JSON. Multiplying, in GFLOP/s (two for each multiply-add), from registers
 * only: the best of f32 and of bf16 ("f32", "bf16"), then each unit that this machine has
 * ("units": FMA of several widths, VDPBF16PS, AMX). Memory, in GB/s: "read", and "copy", which
 * counts each byte twice, as read and as written. "one" is the first core alone, "all" is all of
 * them at once. Without bf16 instructions the bf16 figures are 0. Each figure takes SECONDS; the
 * best millisecond of each core counts, because others who use the machine can only lower the
 * rate. From the root of the tree:
 *
 *     cc -std=c17 -D_GNU_SOURCE -O2 -I. -pthread -o peak bench/peak.c \
 *         engine/machine/cpu.c engine/train/kernels/peak_loop.c
 *
 * The loops are those that a run measures its own roof with (engine/train/peak_run.c). */
#include "engine/train/kernels/peak_loop.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define CORES_MAX 1024
#define LINE 64
#define NEAR ((size_t)64 << 20) /* the least that a thread reads */
#define PIECE ((size_t)4 << 20) /* read or copied between two looks at the clock */
#define SLICE 1e-3              /* seconds: less than a scheduler's time slice */

struct thread;
typedef double work_fn(struct thread *thread); /* processes a piece, returns its size */

struct thread {
    pthread_t id;
    int cpu;
    double seconds;
    work_fn *work;
    const struct peak_loop *loop; /* of multiply() */
    char *from, *to;              /* of the others: `bytes` each, and own */
    size_t bytes, at;             /* a multiple of PIECE; the next one */
    pthread_barrier_t *start;
    double rate; /* per second, in its best slice */
};

/* The cores to measure with, the first of them alone or all. */
struct cores {
    const int *cpus;
    int count;
    double seconds;
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double multiply(struct thread *thread)
{
    return 2 * thread->loop->run();
}

static size_t next_piece(struct thread *thread)
{
    size_t piece = thread->at;

    thread->at = (piece + PIECE) % thread->bytes;
    return piece;
}

/* One word of each line: the line is what comes from memory. */
static double read_memory(struct thread *thread)
{
    const char *from = thread->from + next_piece(thread);
    uint64_t sum = 0, word;

    for (size_t i = 0; i < PIECE; i += LINE) {
        memcpy(&word, from + i, sizeof word);
        sum += word;
    }
    __asm__ volatile("" ::"r"(sum)); /* no compiler leaves it out */
    return (double)PIECE;
}

static double copy_memory(struct thread *thread)
{
    size_t piece = next_piece(thread);

    memcpy(thread->to + piece, thread->from + piece, PIECE);
    __asm__ volatile("" ::"r"(thread->to) : "memory");
    return 2.0 * (double)PIECE;
}

/* Taken by the thread that uses it, so that it lies near. */
static char *room(size_t bytes)
{
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        fputs("peak: out of memory\n", stderr);
        exit(1);
    }
    madvise(memory, bytes, MADV_HUGEPAGE);
    memset(memory, 1, bytes); /* not zero: zero pages may be shared */
    return memory;
}

static void *run(void *argument)
{
    struct thread *thread = argument;
    double start, slice, time, done;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)thread->cpu, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    if (thread->bytes > 0) {
        thread->from = room(thread->bytes);
        thread->to = room(thread->bytes);
    }
    thread->work(thread); /* wide units take a moment to wake up */
    pthread_barrier_wait(thread->start);
    start = time = now();
    do {
        slice = time;
        done = 0;
        do {
            done += thread->work(thread);
            time = now();
        } while (time - slice < SLICE);
        if (done / (time - slice) > thread->rate)
            thread->rate = done / (time - slice);
    } while (time - start < thread->seconds);
    if (thread->bytes > 0) {
        munmap(thread->from, thread->bytes);
        munmap(thread->to, thread->bytes);
    }
    return NULL;
}

/* Billions a second, of `count` cores together. */
static double measure(const struct cores *cores, int count, const struct thread *like)
{
    static struct thread threads[CORES_MAX];
    pthread_barrier_t start;
    double sum = 0;

    pthread_barrier_init(&start, NULL, (unsigned)count);
    for (int i = 0; i < count; i++) {
        threads[i] = *like;
        threads[i].cpu = cores->cpus[i];
        threads[i].seconds = cores->seconds;
        threads[i].start = &start;
        if (pthread_create(&threads[i].id, NULL, run, &threads[i]) != 0) {
            fputs("peak: cannot start a thread\n", stderr);
            exit(1); /* those already started wait at the barrier for ever */
        }
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i].id, NULL);
        sum += threads[i].rate;
    }
    pthread_barrier_destroy(&start);
    return sum / 1e9;
}

struct figures {
    double one, all;
};

static struct figures multiply_by(const struct cores *cores, const struct peak_loop *loop)
{
    const struct thread like = {.work = multiply, .loop = loop};

    return (struct figures){measure(cores, 1, &like), measure(cores, cores->count, &like)};
}

/* Far more than the last cache, over all threads. */
static size_t far(int count)
{
    long l1d, l2, l3;
    size_t bytes;

    cpu_caches(&l1d, &l2, &l3);
    bytes = (2 * (size_t)l3 / (size_t)count + PIECE) / PIECE * PIECE;
    return bytes > NEAR ? bytes : NEAR;
}

static struct figures move_by(const struct cores *cores, work_fn *work)
{
    const struct thread one = {.work = work, .bytes = far(1)};
    const struct thread all = {.work = work, .bytes = far(cores->count)};

    return (struct figures){measure(cores, 1, &one), measure(cores, cores->count, &all)};
}

static void print_best(const char *name, const struct figures *figures,
                       const struct peak_loop *loop)
{
    printf("\"%s\":{\"how\":\"%s\",\"one\":%.1f,\"all\":%.1f},", name, loop ? loop->unit : "",
           figures->one, figures->all);
}

static void print_multiplying(const struct cores *cores, enum cpu_isa isa)
{
    struct figures best[2] = {{0}};
    const struct peak_loop *loops[2] = {NULL}, *loop;
    char units[1000];
    int used = 0;

    for (int i = 0; (loop = peak_loop_at(i)) && loop->isa <= isa; i++) {
        struct figures figures = multiply_by(cores, loop);

        used += snprintf(units + used, sizeof units - (size_t)used,
                         "%s{\"unit\":\"%s\",\"one\":%.1f,\"all\":%.1f}", used ? "," : "",
                         loop->unit, figures.one, figures.all);
        if (figures.all > best[loop->type].all) {
            best[loop->type] = figures;
            loops[loop->type] = loop;
        }
    }
    print_best("f32", &best[DNN_F32], loops[DNN_F32]);
    print_best("bf16", &best[DNN_BF16], loops[DNN_BF16]);
    printf("\"units\":[%s]", units);
}

static void print_moving(const struct cores *cores, const char *name, work_fn *work)
{
    struct figures figures = move_by(cores, work);

    printf(",\"%s\":{\"one\":%.1f,\"all\":%.1f}", name, figures.one, figures.all);
}

int main(int argc, char **argv)
{
    static int cpus[CORES_MAX];
    struct cores cores = {.cpus = cpus, .count = argc - 2};

    if (cores.count < 1 || cores.count > CORES_MAX) {
        fputs("Usage: peak SECONDS CPU...\n", stderr);
        return 2;
    }
    cores.seconds = strtod(argv[1], NULL);
    for (int i = 0; i < cores.count; i++)
        cpus[i] = (int)strtol(argv[i + 2], NULL, 10);

    printf("{");
    print_multiplying(&cores, cpu_probe());
    print_moving(&cores, "read", read_memory);
    print_moving(&cores, "copy", copy_memory);
    printf("}\n");
    return 0;
}
