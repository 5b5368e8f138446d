/* What the cores' multiply units do at most: peak SECONDS CPU...
 *
 * Prints one line of JSON, in GFLOP/s: the first core alone ("one") and all of them at once
 * ("all"), in f32 and in bf16, from registers only. Compile with -march=native: the widest
 * instructions of the machine that compiles are the ones measured. Without bf16 instructions
 * the bf16 figures are 0. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__AVX512BF16__) || defined(__AMX_BF16__)
#include <immintrin.h>
#endif
#if defined(__AMX_BF16__)
#include <sys/syscall.h>
#define BF16_HOW "amx"
#elif defined(__AVX512BF16__)
#define BF16_HOW "vdpbf16ps"
#else
#define BF16_HOW ""
#endif

#if defined(__AVX512F__)
#define WIDTH 64
#define F32_HOW "512 bits"
#elif defined(__AVX__)
#define WIDTH 32
#define F32_HOW "256 bits"
#else
#define WIDTH 16
#define F32_HOW "128 bits"
#endif

/* A value that the compiler knows nothing of: it would do chains that are alike only once, and
 * rounds that are alike only some. */
#if defined(__aarch64__)
#define OPAQUE(value) __asm__ volatile("" : "+w"(value))
#else
#define OPAQUE(value) __asm__ volatile("" : "+x"(value))
#endif

/* Twelve chains hide the latency of two units of five cycles each, and with the two operands
 * still fit the sixteen registers that older instruction sets have. */
#define CHAINS(of) of(0) of(1) of(2) of(3) of(4) of(5) of(6) of(7) of(8) of(9) of(10) of(11)
#define CHAIN_COUNT 12
#define CHUNK 20000 /* rounds between two looks at the clock; some tens of microseconds */
#define CORES_MAX 1024

typedef float vector __attribute__((vector_size(WIDTH)));
typedef double chunk_fn(void); /* does one chunk, returns its floating-point operations */

struct thread {
    pthread_t id;
    int cpu;
    double seconds;
    chunk_fn *chunk;
    pthread_barrier_t *start;
    double rate; /* operations a second */
};

static volatile float sink; /* results go here, so that no compiler drops the work */

static double chunk_f32(void)
{
    /* Chains that tend to 1: neither infinities nor denormals, which some cores do slowly. */
    vector factor = (vector){0} + 0.999f, term = (vector){0} + 0.001f, sum = {0};
    vector chain[CHAIN_COUNT] = {{0}};

#define START(k) OPAQUE(chain[k]);
#define STEP(k) chain[k] = chain[k] * factor + term;
#define END(k) sum += chain[k];
    CHAINS(START)
    for (int i = 0; i < CHUNK; i++) {
        CHAINS(STEP)
        OPAQUE(factor);
    }
    CHAINS(END)
#undef START
#undef STEP
#undef END
    sink = sum[0];
    return 2.0 * CHUNK * CHAIN_COUNT * (WIDTH / sizeof(float));
}

#if defined(__AMX_BF16__)
struct tile_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t bytes[16];
    uint8_t rows[16];
};

/* The kernel gives the tiles' state only to a process that asks for it. */
static bool bf16_allowed(void)
{
    const long request_permission = 0x1023, tile_data = 18;

    return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

static double chunk_bf16(void)
{
    struct tile_config config = {.palette = 1};
    uint16_t ones[16 * 32];

    for (int i = 0; i < 8; i++) {
        config.bytes[i] = 64;
        config.rows[i] = 16;
    }
    for (int i = 0; i < 16 * 32; i++)
        ones[i] = 0x3f80;
    _tile_loadconfig(&config);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    _tile_loadd(4, ones, 64);
    _tile_loadd(5, ones, 64);
    _tile_loadd(6, ones, 64);
    _tile_loadd(7, ones, 64);
    for (int i = 0; i < CHUNK; i++) {
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    _tile_release();
    return 4.0 * CHUNK * 2 * 16 * 16 * 32;
}
#elif defined(__AVX512BF16__)
static bool bf16_allowed(void)
{
    return true;
}

static double chunk_bf16(void)
{
    __m512bh left = (__m512bh)_mm512_set1_epi16(0x3f80), right = left;
    __m512 chain[CHAIN_COUNT] = {{0}}, sum = {0};

#define START(k) OPAQUE(chain[k]);
#define STEP(k) chain[k] = _mm512_dpbf16_ps(chain[k], left, right);
#define END(k) sum += chain[k];
    CHAINS(START)
    for (int i = 0; i < CHUNK; i++) {
        CHAINS(STEP)
        OPAQUE(left);
    }
    CHAINS(END)
#undef START
#undef STEP
#undef END
    sink = sum[0];
    return 2.0 * CHUNK * CHAIN_COUNT * 32;
}
#else
static bool bf16_allowed(void)
{
    return false;
}

static double chunk_bf16(void)
{
    return 0;
}
#endif

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *run(void *argument)
{
    struct thread *thread = argument;
    double start, elapsed, done = 0;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)thread->cpu, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    thread->chunk(); /* the wide units take a moment to wake up */
    pthread_barrier_wait(thread->start);
    start = now();
    do {
        done += thread->chunk();
        elapsed = now() - start;
    } while (elapsed < thread->seconds);
    thread->rate = done / elapsed;
    return NULL;
}

/* GFLOP/s of these cores together. */
static double measure(const int *cpus, int count, chunk_fn *chunk, double seconds)
{
    static struct thread threads[CORES_MAX];
    pthread_barrier_t start;
    double sum = 0;

    pthread_barrier_init(&start, NULL, (unsigned)count);
    for (int i = 0; i < count; i++) {
        threads[i] =
            (struct thread){.cpu = cpus[i], .seconds = seconds, .chunk = chunk, .start = &start};
        if (pthread_create(&threads[i].id, NULL, run, &threads[i]) != 0) {
            fputs("peak: no thread to be had\n", stderr);
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

int main(int argc, char **argv)
{
    static int cpus[CORES_MAX];
    int count = argc - 2;
    double seconds, f32[2], bf16[2] = {0, 0};

    if (count < 1 || count > CORES_MAX) {
        fputs("Usage: peak SECONDS CPU...\n", stderr);
        return 2;
    }
    seconds = strtod(argv[1], NULL);
    for (int i = 0; i < count; i++)
        cpus[i] = (int)strtol(argv[i + 2], NULL, 10);

    f32[0] = measure(cpus, 1, chunk_f32, seconds);
    f32[1] = measure(cpus, count, chunk_f32, seconds);
    if (bf16_allowed()) {
        bf16[0] = measure(cpus, 1, chunk_bf16, seconds);
        bf16[1] = measure(cpus, count, chunk_bf16, seconds);
    }
    printf("{\"f32\":{\"how\":\"%s\",\"one\":%.1f,\"all\":%.1f},"
           "\"bf16\":{\"how\":\"%s\",\"one\":%.1f,\"all\":%.1f}}\n",
           F32_HOW, f32[0], f32[1], BF16_HOW, bf16[0], bf16[1]);
    return 0;
}
