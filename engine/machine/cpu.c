#include "engine/machine/cpu.h"

#include "common/cleanup.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

const char *const cpu_isa_names[] = {
    [CPU_BASE] = "base",
    [CPU_SSE41] = "sse41",
    [CPU_AVX2] = "avx2",
    [CPU_AVX512] = "avx512",
    [CPU_AVX512_BF16] = "avx512_bf16",
    [CPU_AMX] = "amx",
    NULL,
};

/* For the child: this process's handlers would report a fault. */
static void take_faults_quietly(unsigned seconds)
{
    static const int signals[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP, SIGABRT, SIGALRM};
    sigset_t none;

    for (size_t i = 0; i < COUNT(signals); i++)
        signal(signals[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_DUMPABLE, 0);
    alarm(seconds);
}

bool cpu_survives(void (*attempt)(void), unsigned seconds)
{
    pid_t child = fork(), reaped;
    int status = 0;

    if (child == 0) {
        take_faults_quietly(seconds);
        attempt();
        /* Not even _exit(): sanitizers hook into it, and write what the parent has yet to write.
         */
        syscall(SYS_exit_group, 0);
    }
    if (child < 0)
        return false;
    do
        reaped = waitpid(child, &status, 0);
    while (reaped < 0 && errno == EINTR);
    return reaped == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#ifdef __x86_64__
/* Not in every <asm/prctl.h> yet. */
#define REQUEST_STATE_PERMISSION 0x1023
#define TILE_DATA 18
#define TILE_STATES 0x60000 /* of XCR0: configuration and data */

#define AMX_BF16 (1u << 22) /* of leaf 7's edx */
#define AMX_TILE (1u << 24)
#define OS_SAVES_STATES (1u << 27) /* of leaf 1's ecx */

static bool promises_amx(void)
{
    unsigned a, b, c, d, low, high;

    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OS_SAVES_STATES))
        return false;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & TILE_STATES) == TILE_STATES && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
           (d & (AMX_BF16 | AMX_TILE)) == (AMX_BF16 | AMX_TILE);
}

/* One product of two tiles of ones; a wrong result counts as a fault. */
__attribute__((target("amx-tile,amx-bf16"))) static void try_tiles(void)
{
    struct {
        uint8_t palette, start_row, reserved[14];
        uint16_t row_bytes[16];
        uint8_t rows[16];
    } config = {.palette = 1, .row_bytes = {64, 64, 64}, .rows = {16, 16, 16}};
    static uint16_t ones[16][32];
    static float sums[16][16];

    for (int i = 0; i < 16 * 32; i++)
        ones[i / 32][i % 32] = 0x3f80;
    /* The intrinsics of some compilers do not say that they read memory. */
    __asm__ volatile("" ::: "memory");
    _tile_loadconfig(&config);
    _tile_zero(0);
    _tile_loadd(1, ones, 64);
    _tile_loadd(2, ones, 64);
    _tile_dpbf16ps(0, 1, 2);
    _tile_stored(0, sums, 64);
    _tile_release();
    __asm__ volatile("" ::: "memory");
    for (int i = 0; i < 16 * 16; i++)
        if (sums[i / 16][i % 16] < 32 || sums[i / 16][i % 16] > 32)
            _exit(1);
}

static bool has_amx(void)
{
    return promises_amx() && syscall(SYS_arch_prctl, REQUEST_STATE_PERMISSION, TILE_DATA) == 0 &&
           cpu_survives(try_tiles, 2);
}

enum cpu_isa cpu_probe(void)
{
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return __builtin_cpu_supports("sse4.1") ? CPU_SSE41 : CPU_BASE;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq"))
        return CPU_AVX2;
    if (!__builtin_cpu_supports("avx512bf16"))
        return CPU_AVX512;
    return has_amx() ? CPU_AMX : CPU_AVX512_BF16;
}

void cpu_vendor(char ret_text[CPU_VENDOR_SIZE])
{
    unsigned words[3] = {0}, most;

    __get_cpuid(0, &most, &words[0], &words[2], &words[1]);
    memcpy(ret_text, words, sizeof words);
    ret_text[sizeof words] = '\0';
}

/* The name in `brand` is padded with spaces on either side. */
static void cpu_trim(char *brand)
{
    size_t lead = strspn(brand, " "), length = strlen(brand + lead);

    while (length > 0 && brand[lead + length - 1] == ' ')
        length--;
    memmove(brand, brand + lead, length);
    brand[length] = '\0';
}

void cpu_model(char *ret_text, size_t size)
{
    unsigned words[12] = {0}, a = 0, b, c, d;
    char brand[sizeof words + 1] = "";

    for (unsigned i = 0; i < 3; i++) {
        unsigned *four = words + 4 * i;

        if (!__get_cpuid(0x80000002 + i, four, four + 1, four + 2, four + 3))
            break;
    }
    memcpy(brand, words, sizeof words);
    cpu_trim(brand);
    __get_cpuid(1, &a, &b, &c, &d);
    snprintf(ret_text, size, "%s (family %u, model %u, stepping %u)",
             brand[0] ? brand : "unnamed x86-64", (a >> 8 & 0xf) + (a >> 20 & 0xff),
             (a >> 4 & 0xf) + (a >> 12 & 0xf0), a & 0xf);
}
#else
enum cpu_isa cpu_probe(void)
{
    return CPU_BASE;
}

void cpu_vendor(char ret_text[CPU_VENDOR_SIZE])
{
    ret_text[0] = '\0';
}

void cpu_model(char *ret_text, size_t size)
{
    struct utsname host;

    snprintf(ret_text, size, "%s", uname(&host) == 0 ? host.machine : "unknown");
}
#endif

bool cpu_bf16_pays(enum cpu_isa isa, const char *vendor)
{
    return isa == CPU_AMX || (isa == CPU_AVX512_BF16 && strcmp(vendor, "GenuineIntel") != 0);
}

const char *cpu_isa_name(enum cpu_isa isa)
{
    return cpu_isa_names[isa];
}

bool cpu_isa_from_name(const char *name, enum cpu_isa *ret_isa)
{
    if (strcmp(name, "auto") == 0) {
        *ret_isa = cpu_probe();
        return true;
    }
    for (size_t i = 0; cpu_isa_names[i]; i++)
        if (strcmp(name, cpu_isa_names[i]) == 0) {
            *ret_isa = (enum cpu_isa)i;
            return true;
        }
    return false;
}

/* The C library returns 0 or -1 for unknown. */
static long cpu_cache_bytes(int name)
{
    long bytes = sysconf(name);

    return bytes > 0 ? bytes : 0;
}

void cpu_caches(long *ret_l1d, long *ret_l2, long *ret_l3)
{
    *ret_l1d = cpu_cache_bytes(_SC_LEVEL1_DCACHE_SIZE);
    *ret_l2 = cpu_cache_bytes(_SC_LEVEL2_CACHE_SIZE);
    *ret_l3 = cpu_cache_bytes(_SC_LEVEL3_CACHE_SIZE);
}
