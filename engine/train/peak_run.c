#include "engine/train/peak_run.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "engine/machine/topology.h"
#include "engine/train/canary_run.h"
#include "engine/train/threads/host.h"
#include "engine/train/threads/team.h"

#include <stdint.h>

#define MULTIPLY_NS (50 * NS_PER_MS)
#define SLICE_NS                                                                                 \
    NS_PER_MS /* less than a process gets at a time where others want the core too               \
               */
#define READ_SLICE ((size_t)4 << 20)
#define READ_TURNS 2
#define LINE 64 /* bytes: of a cache's line */

/* What a thread did in its best slice, in a second; on lines of its own. */
struct share {
    _Alignas(128) double best;
};

struct measurement {
    struct team *team;
    const struct peak_loop *loop;
    const char *memory;
    size_t bytes;
    struct share *shares;
};

static void count_slice(struct share *share, double done, long long nanoseconds)
{
    double rate = done * (double)NS_PER_SECOND / (double)(nanoseconds > 0 ? nanoseconds : 1);

    share->best = rate > share->best ? rate : share->best;
}

static void peak_multiply(void *user, int index)
{
    const struct measurement *measurement = user;
    struct share *share = &measurement->shares[index];
    long long start, slice, end;

    share->best = 0;
    (void)measurement->loop->run(); /* wide units take a moment to wake up */
    team_meet(measurement->team);
    start = end = host_clock_ns();
    while (end - start < MULTIPLY_NS) {
        double done = 0;

        slice = end;
        do {
            done += measurement->loop->run();
            end = host_clock_ns();
        } while (end - slice < SLICE_NS);
        count_slice(share, done, end - slice);
    }
}

/* Puts a line out of all caches, into memory. */
static inline void peak_evict(const char *line)
{
#if defined __x86_64__
    __asm__ volatile("clflush %0" ::"m"(*line) : "memory");
#elif defined __aarch64__
    __asm__ volatile("dc civac, %0" ::"r"(line) : "memory");
#else
    (void)line;
#endif
}

static void wait_for_evictions(void)
{
#if defined __x86_64__
    __asm__ volatile("mfence" ::: "memory");
#elif defined __aarch64__
    __asm__ volatile("dsb ish" ::: "memory");
#endif
}

/* One word of each line: the line is what comes from memory. */
static void read_lines(const char *from, const char *end)
{
    uint64_t sum = 0, word;

    for (; from < end; from += LINE) {
        memcpy(&word, from, sizeof word);
        sum += word;
    }
    __asm__ volatile("" ::"r"(sum)); /* no compiler leaves it out */
}

static void read_part(void *user, int index)
{
    const struct measurement *measurement = user;
    struct share *share = &measurement->shares[index];
    size_t lines = measurement->bytes / LINE, count = (size_t)team_size(measurement->team);
    const char *first = measurement->memory + lines * (size_t)index / count * LINE,
               *end = measurement->memory + lines * ((size_t)index + 1) / count * LINE;

    share->best = 0;
    for (int turn = 0; turn < READ_TURNS; turn++) {
        for (const char *line = first; line < end; line += LINE)
            peak_evict(line);
        wait_for_evictions();
        team_meet(measurement->team);
        for (const char *from = first; from < end;) {
            size_t left = (size_t)(end - from), bytes = left < READ_SLICE ? left : READ_SLICE;
            long long start = host_clock_ns();

            read_lines(from, from + bytes);
            count_slice(share, (double)bytes, host_clock_ns() - start);
            from += bytes;
        }
    }
}

/* All threads at once, for cores share power, units and the way to memory. Of each thread the
 * best slice counts; threads that take turns on a core do not count as several. */
static double peak_of(struct measurement *measurement, void (*work)(void *user, int index),
                      int cpus)
{
    int threads = team_size(measurement->team);
    double sum = 0;

    team_run(measurement->team, work, measurement);
    for (int i = 0; i < threads; i++)
        sum += measurement->shares[i].best;
    return threads > cpus ? sum * cpus / threads : sum;
}

/* Whether we can read past the caches, by all channels that the threads have. */
static bool can_read(const struct topology *topology)
{
#if defined __x86_64__ || defined __aarch64__
    return topology->node_count <= 1;
#else
    (void)topology;
    return false;
#endif
}

struct peaks peaks_measure(int threads, enum cpu_isa isa, enum dnn_type type)
{
    static struct topology topology; /* large */
    struct measurement measurement = {.loop = peak_loop_for(isa, type)};
    struct peaks peaks = {.unit = measurement.loop->unit};
    AUTO(freep) void *memory = NULL;

    topology_read("", &topology); /* before this thread is bound to one place */
    if (posix_memalign(&memory, _Alignof(struct share),
                       (size_t)threads * sizeof *measurement.shares) != 0)
        return peaks;
    measurement.shares = memory;
    measurement.team = team_new(threads, NULL);
    if (!measurement.team)
        return peaks;
    peaks.multiply_adds_per_second = peak_of(&measurement, peak_multiply, topology.cpu_count);
    measurement.memory = canary_room(&measurement.bytes);
    if (can_read(&topology))
        peaks.read_bytes_per_second = peak_of(&measurement, read_part, topology.cpu_count);
    team_free(measurement.team);
    return peaks;
}
