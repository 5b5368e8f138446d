#include "engine/machine/machine.h"

#include "common/json_text.h"
#include "tests/engine/tree.h"

#include <jansson.h>

#define INTEL                                                                                    \
    "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"               \
    "model name\t: Intel(R) Xeon(R) Platinum 8488C\nstepping\t: 8\nmicrocode\t: 0x2b000603\n"    \
    "flags\t\t: fpu sse4_1 avx avx2 fma avx512f avx512_bf16 amx_tile amx_bf16 amx_int8\n\n"

static struct machine read_machine(const struct tree *tree)
{
    static struct topology topology;
    struct machine machine = {0};

    topology_read(tree->root, &topology);
    machine_read(tree->root, &topology, CPU_AMX, &machine);
    return machine;
}

static void put_machine(const struct tree *tree)
{
    tree_put(tree, "/proc/cpuinfo", INTEL INTEL);
    tree_put(tree, "/proc/meminfo", "MemTotal:       16000000 kB\nMemFree: 5 kB\n");
    tree_put(tree, "/proc/sys/kernel/osrelease", "6.1.0-test\n");
    tree_put(tree, "/etc/os-release", "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
    tree_put(tree, "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    tree_put(tree, "/sys/devices/system/cpu/cpu0/cache/index0/level", "1\n");
    tree_put(tree, "/sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n");
    tree_put(tree, "/sys/devices/system/cpu/cpu0/cache/index0/size", "48K\n");
    tree_put(tree, "/sys/devices/system/cpu/cpu0/cache/index3/level", "3\n");
    tree_put(tree, "/sys/devices/system/cpu/cpu0/cache/index3/type", "Unified\n");
    tree_put(tree, "/sys/devices/system/cpu/cpu0/cache/index3/size", "105M\n");
}

TEST_WITH_TREE(facts_are_read_and_what_is_not_visible_is_null)
{
    put_machine(tree);
    AUTO(machine_clear) struct machine machine = read_machine(tree);
    AUTO(json_decrefp) json_t *facts = json_loads(machine.facts, JSON_REJECT_DUPLICATES, NULL);
    json_t *caches = json_object_get(facts, "caches");

    EXPECT_STR(json_string_value(json_object_get(facts, "cpu_model")),
               "Intel(R) Xeon(R) Platinum 8488C");
    EXPECT_STR(json_string_value(json_object_get(facts, "cpu_model_number")), "143");
    EXPECT_STR(json_string_value(json_object_get(facts, "isa")), "amx");
    EXPECT_INT(json_integer_value(json_object_get(facts, "memory_gib")), 15);
    EXPECT_STR(json_string_value(json_object_get(facts, "microcode")), "0x2b000603");
    EXPECT_STR(json_string_value(json_object_get(facts, "huge_pages")), "madvise");
    EXPECT_STR(json_string_value(json_object_get(facts, "distribution")),
               "Debian GNU/Linux 12 (bookworm)");
    EXPECT_INT(json_integer_value(json_object_get(caches, "l1d_bytes")), 48 * 1024);
    EXPECT_INT(json_integer_value(json_object_get(caches, "l3_bytes")), 105 * 1024 * 1024);
    EXPECT(json_is_null(json_object_get(caches, "l2_bytes")));
    EXPECT(json_is_null(json_object_get(facts, "governor")));
    EXPECT(json_is_null(json_object_get(facts, "hypervisor")));
    EXPECT_INT((long long)json_array_size(json_object_get(facts, "cpu_flags")), 9);
}

static long long memory_limit(const struct tree *tree)
{
    AUTO(machine_clear) struct machine machine = read_machine(tree);
    AUTO(json_decrefp) json_t *facts = json_loads(machine.facts, JSON_REJECT_DUPLICATES, NULL);

    return json_integer_value(json_object_get(facts, "memory_limit_bytes"));
}

/* A container of 2 GiB on the host's 16 cannot train what the host can. */
TEST_WITH_TREE(the_memory_limit_of_the_control_group_is_a_fact)
{
    put_machine(tree);
    EXPECT_INT(memory_limit(tree), 0);
    tree_put(tree, "/proc/self/cgroup", "0::/pod/box\n");
    tree_put(tree, "/sys/fs/cgroup/pod/memory.max", "2147483648\n");
    EXPECT_INT(memory_limit(tree), 2147483648);
}

/* Runs may be put together across kernels, not across processors. */
TEST_WITH_TREE(another_kernel_is_another_state_of_the_same_hardware)
{
    put_machine(tree);
    AUTO(machine_clear) struct machine first = read_machine(tree);
    AUTO(machine_clear) struct machine same = read_machine(tree);
    EXPECT_STR(first.facts, same.facts);
    EXPECT_STR(first.fingerprint, same.fingerprint);
    EXPECT_INT((long long)strlen(first.stratum), 16);

    tree_put(tree, "/proc/sys/kernel/osrelease", "6.12.0-test\n");
    AUTO(machine_clear) struct machine kernel = read_machine(tree);
    EXPECT(strcmp(kernel.fingerprint, first.fingerprint) != 0);
    EXPECT_STR(kernel.stratum, first.stratum);

    tree_put(tree, "/proc/cpuinfo", "vendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC\n");
    AUTO(machine_clear) struct machine other = read_machine(tree);
    EXPECT(strcmp(other.stratum, first.stratum) != 0);
}

TEST_WITH_TREE(a_stratum_follows_from_the_facts)
{
    char stratum[MACHINE_HASH_SIZE];

    put_machine(tree);
    AUTO(machine_clear) struct machine machine = read_machine(tree);
    machine_stratum(machine.facts, stratum);
    EXPECT_STR(stratum, machine.stratum);
    AUTO(json_decrefp) json_t *facts = json_loads(machine.facts, 0, NULL);
    json_object_del(facts, "hypervisor");
    AUTO(freep) char *fewer = json_text(facts);
    machine_stratum(fewer, stratum);
    EXPECT_STR(stratum, "");
    machine_stratum("[1", stratum);
    EXPECT_STR(stratum, "");
}

TEST_WITH_TREE(a_machine_that_shows_nothing_is_still_one)
{
    AUTO(machine_clear) struct machine machine = read_machine(tree);
    AUTO(json_decrefp) json_t *facts = json_loads(machine.facts, 0, NULL);

    EXPECT_INT(json_integer_value(json_object_get(facts, "cores")), 1);
    EXPECT(json_is_null(json_object_get(facts, "cpu_model")));
    EXPECT(json_is_null(json_object_get(facts, "memory_bytes")));
    tree_put(tree, "/proc/cpuinfo", "model name\t: \xff\xfe bytes\nflags : \n");
    AUTO(machine_clear) struct machine strange = read_machine(tree);
    EXPECT(strange.facts != NULL);
}

TEST(a_second_name_is_another_hash_of_the_facts)
{
    char fingerprint[MACHINE_HASH_SIZE], second[MACHINE_HASH_SIZE];

    machine_fingerprint("abc", fingerprint);
    machine_second_name("abc", second);
    EXPECT_STR(fingerprint, "e71fa2190541574b");
    EXPECT_STR(second, "ba7816bf8f01cfea");
}
