#include "engine/machine/cpu.h"

#include "tests/test.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void returns(void)
{
}

static void leaves(void)
{
    _exit(0);
}

static void leaves_with_an_error(void)
{
    _exit(3);
}

static void is_not_known_to_the_processor(void)
{
    raise(SIGILL);
}

static void reads_what_is_not_there(void)
{
    raise(SIGSEGV);
}

static void hangs(void)
{
    for (;;)
        pause();
}

static volatile sig_atomic_t handled;

static void handle(int signal)
{
    (void)signal;
    handled = 1;
}

/* A handler that returns would make an attempt that faults look like one that worked. */
TEST(an_attempt_survives_if_it_ends_well)
{
    void (*before)(int) = signal(SIGILL, handle);

    EXPECT(cpu_survives(returns, 2));
    EXPECT(cpu_survives(leaves, 2));
    EXPECT(!cpu_survives(leaves_with_an_error, 2));
    EXPECT(!cpu_survives(is_not_known_to_the_processor, 2));
    EXPECT(!cpu_survives(reads_what_is_not_there, 2));
    EXPECT(!handled);
    signal(SIGILL, before);
}

TEST(an_attempt_that_hangs_is_ended_even_where_alarms_are_blocked)
{
    struct timespec start, end;
    sigset_t all, before;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    clock_gettime(CLOCK_MONOTONIC, &start);
    EXPECT(!cpu_survives(hangs, 1));
    clock_gettime(CLOCK_MONOTONIC, &end);
    sigprocmask(SIG_SETMASK, &before, NULL);
    EXPECT(end.tv_sec - start.tv_sec < 30);
}

TEST(no_child_is_left_behind)
{
    EXPECT(!cpu_survives(is_not_known_to_the_processor, 2));
    EXPECT(cpu_survives(returns, 2));
    EXPECT_INT(waitpid(-1, NULL, WNOHANG), -1);
    EXPECT_INT(errno, ECHILD);
}

TEST(each_instruction_set_is_found_by_its_name)
{
    static const char *const names[] = {"base", "sse41", "avx2", "avx512", "avx512_bf16", "amx"};

    for (size_t i = 0; i < COUNT(names); i++) {
        enum cpu_isa isa = CPU_BASE;

        EXPECT(cpu_isa_from_name(names[i], &isa));
        EXPECT_INT(isa, (int)i);
        EXPECT_STR(cpu_isa_name(isa), names[i]);
    }
}

TEST(an_unknown_name_is_refused)
{
    static const char *const names[] = {"", "AVX2", "avx", "avx512_", "amx "};

    for (size_t i = 0; i < COUNT(names); i++) {
        enum cpu_isa isa = CPU_AMX;

        EXPECT(!cpu_isa_from_name(names[i], &isa));
        EXPECT_INT(isa, CPU_AMX);
    }
}

TEST(auto_is_what_the_processor_has)
{
    enum cpu_isa isa = CPU_BASE;

    EXPECT(cpu_isa_from_name("auto", &isa));
    EXPECT_INT(isa, cpu_probe());
}

/* The kernel lists what it lets programs use. */
static bool kernel_lists(const char *flag)
{
    AUTO(fclosep) FILE *file = fopen("/proc/cpuinfo", "re");
    static char line[16384];
    char word[64];

    snprintf(word, sizeof word, " %s ", flag);
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = ' ';
        if (strncmp(line, "flags", 5) == 0)
            return strstr(line, word) != NULL;
    }
    return false;
}

TEST(the_kernel_lists_what_was_found)
{
    enum cpu_isa isa = cpu_probe();
    bool avx2 = kernel_lists("avx2") && kernel_lists("fma");
    bool avx512 = avx2 && kernel_lists("avx512f") && kernel_lists("avx512bw") &&
                  kernel_lists("avx512vl") && kernel_lists("avx512dq");
    bool bf16 = avx512 && kernel_lists("avx512_bf16");

    printf("this is %s\n", cpu_isa_name(isa));
    EXPECT_INT(isa >= CPU_AVX2, avx2);
    EXPECT_INT(isa >= CPU_AVX512, avx512);
    EXPECT_INT(isa >= CPU_AVX512_BF16, bf16);
    EXPECT(isa < CPU_AMX || kernel_lists("amx_bf16"));
}

TEST(the_model_fits_wherever_it_is_put)
{
    char whole[200], cut[8];

    cpu_model(whole, sizeof whole);
    EXPECT(strlen(whole) > 0);
    EXPECT(whole[0] != ' ');
    cpu_model(cut, sizeof cut);
    EXPECT_INT(strlen(cut) < sizeof cut, 1);
    EXPECT_INT(strncmp(whole, cut, strlen(cut)), 0);
}

TEST(bf16_pays_with_tiles_and_where_products_of_pairs_are_no_slower_than_fma)
{
    EXPECT(cpu_bf16_pays(CPU_AMX, "GenuineIntel"));
    EXPECT(cpu_bf16_pays(CPU_AVX512_BF16, "AuthenticAMD"));
    EXPECT(!cpu_bf16_pays(CPU_AVX512_BF16, "GenuineIntel"));
    EXPECT(!cpu_bf16_pays(CPU_AVX512, "AuthenticAMD"));
    EXPECT(!cpu_bf16_pays(CPU_BASE, ""));
}

TEST(the_vendor_is_the_one_that_the_kernel_names)
{
    AUTO(fclosep) FILE *file = fopen("/proc/cpuinfo", "re");
    char vendor[CPU_VENDOR_SIZE], line[256];
    bool named = false;

    cpu_vendor(vendor);
    EXPECT(strlen(vendor) < sizeof vendor);
    while (file && !named && fgets(line, sizeof line, file))
        if (strncmp(line, "vendor_id", 9) == 0) {
            named = true;
            line[strcspn(line, "\n")] = '\0';
            EXPECT_STR(strchr(line, ':') + 2, vendor);
        }
    EXPECT_INT(named, vendor[0] != '\0');
}

TEST(caches_are_sizes_or_unknown)
{
    long l1d = -1, l2 = -1, l3 = -1;

    cpu_caches(&l1d, &l2, &l3);
    EXPECT(l1d == 0 || (l1d >= 4096 && l1d <= 1 << 20));
    EXPECT(l2 == 0 || l2 >= 65536);
    EXPECT(l3 >= 0);
}
