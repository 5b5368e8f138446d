#include "engine/machine/machine.h"

#include "common/cleanup.h"
#include "common/hash.h"
#include "common/json_text.h"
#include "common/sha256.h"
#include "common/text.h"
#include "engine/machine/control_group.h"
#include "engine/machine/proc.h"

#include <inttypes.h>
#include <stdint.h>
#include <sys/utsname.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#define TEXT_SIZE 256
#define GIB (1024.0 * 1024 * 1024)

/* Of /proc/cpuinfo: what decides which code can run fast. */
static const char *const flags_of_interest[] = {
    "sse4_1",   "avx",         "avx2",     "fma",         "f16c",        "avx512f",
    "avx512bw", "avx512_vnni", "avx_vnni", "avx512_bf16", "avx512_fp16", "amx_tile",
    "amx_bf16", "amx_int8",    "asimd",    "bf16",        "i8mm",        "sve",
};

static json_t *json_text_or_null(const char *text)
{
    /* Invalid UTF-8 gives no text. */
    return *text && text_is_utf8(text, strlen(text)) ? json_string(text) : json_null();
}

static json_t *count_or_null(long long count)
{
    return count > 0 ? json_integer(count) : json_null();
}

static json_t *read_text(const char *root, const char *path)
{
    char text[TEXT_SIZE];

    proc_text(root, path, text, sizeof text);
    return json_text_or_null(text);
}

/* The value of "name	: value" in /proc/cpuinfo, of the first processor. */
static void read_cpuinfo(const char *root, const char *name, char *ret_value, size_t size)
{
    AUTO(fclosep) FILE *file = proc_open(root, "/proc/cpuinfo");
    AUTO(freep) char *line = NULL;
    size_t length = strlen(name), capacity = 0;

    ret_value[0] = '\0';
    while (file && getline(&line, &capacity, file) > 0) {
        const char *colon = strchr(line, ':');

        if (strncmp(line, name, length) != 0 || strcspn(line + length, ":\t ") != 0 || !colon)
            continue;
        snprintf(ret_value, size, "%s", colon + 1 + (colon[1] == ' '));
        ret_value[strcspn(ret_value, "\n")] = '\0';
        return;
    }
}

static json_t *cpuinfo(const char *root, const char *name)
{
    char value[TEXT_SIZE];

    read_cpuinfo(root, name, value, sizeof value);
    return json_text_or_null(value);
}

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
            return true;
    return false;
}

static json_t *flags(const char *root)
{
    json_t *list = json_array();
    char words[8192];

    read_cpuinfo(root, "flags", words, sizeof words);
    if (!*words)
        read_cpuinfo(root, "Features", words, sizeof words); /* arm64 */
    for (size_t i = 0; i < COUNT(flags_of_interest); i++)
        if (has_word(words, flags_of_interest[i]))
            json_array_append_new(list, json_string(flags_of_interest[i]));
    return list;
}

/* Bytes of "48K" and the like; 0 if there is no such cache. */
static long long cache_bytes(const char *root, int level, const char *type)
{
    for (int index = 0; index < 8; index++) {
        static const char path[] = "/sys/devices/system/cpu/cpu0/cache/index%d/%s";
        char file[128], kind[32];
        long long size;

        snprintf(file, sizeof file, path, index, "level");
        if (proc_number(root, file, NULL, -1) != level)
            continue;
        snprintf(file, sizeof file, path, index, "type");
        if (!proc_text(root, file, kind, sizeof kind) || strcmp(kind, type) != 0)
            continue;
        snprintf(file, sizeof file, path, index, "size");
        size = proc_number(root, file, NULL, 0);
        return proc_text(root, file, kind, sizeof kind) && strchr(kind, 'M') ? size * 1024 * 1024
                                                                             : size * 1024;
    }
    return 0;
}

/* The hypervisor that runs this machine, when it is a guest. */
static json_t *hypervisor(const char *root)
{
    char text[TEXT_SIZE] = "";
#ifdef __x86_64__
    unsigned a, words[3];

    if (!*root && __get_cpuid(1, &a, &words[0], &words[1], &words[2]) && words[1] >> 31) {
        __cpuid(0x40000000, a, words[0], words[1], words[2]);
        memcpy(text, words, sizeof words); /* "KVMKVMKVM", "Microsoft Hv" ... */
        text[sizeof words] = '\0';
    }
#endif
    if (!*text)
        proc_text(root, "/sys/hypervisor/type", text, sizeof text);
    return json_text_or_null(text);
}

/* Facts that decide which runs may be compared. */
static json_t *hardware(const char *root, const struct topology *topology, enum cpu_isa isa)
{
    double gib = (double)proc_number(root, "/proc/meminfo", "MemTotal:", 0) * 1024 / GIB;

    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:s, s:i, s:i, s:i, s:i, s:o, s:o, s:o}", "cpu_model",
        cpuinfo(root, "model name"), "cpu_vendor", cpuinfo(root, "vendor_id"), "cpu_family",
        cpuinfo(root, "cpu family"), "cpu_model_number", cpuinfo(root, "model"), "cpu_stepping",
        cpuinfo(root, "stepping"), "isa", cpu_isa_name(isa), "processors", topology->cpu_count,
        "cores", topology->core_count, "packages", topology->package_count, "numa_nodes",
        topology->node_count, "quota_processors",
        topology->quota > 0 ? json_real(topology->quota) : json_null(), "memory_gib",
        count_or_null((long long)(gib + 0.5)), "hypervisor", hypervisor(root));
}

static json_t *huge_pages(const char *root)
{
    char text[TEXT_SIZE], *open, *end;

    proc_text(root, "/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text);
    open = strchr(text, '[');
    end = open ? strchr(open, ']') : NULL;
    if (!end)
        return json_null();
    *end = '\0';
    return json_text_or_null(open + 1);
}

static json_t *distribution(const char *root)
{
    AUTO(fclosep) FILE *file = proc_open(root, "/etc/os-release");
    char line[TEXT_SIZE];

    while (file && fgets(line, sizeof line, file)) {
        char *value = strchr(line, '=');

        if (strncmp(line, "PRETTY_NAME=", strlen("PRETTY_NAME=")) != 0)
            continue;
        value += 1 + (value[1] == '"');
        value[strcspn(value, "\"\n")] = '\0';
        return json_text_or_null(value);
    }
    return json_null();
}

static json_t *memory_limit(const char *root)
{
    struct group_memory memory;

    control_group_memory(root, &memory);
    return count_or_null(memory.limit);
}

/* The system around the hardware. */
static json_t *surroundings(const char *root)
{
    struct utsname host;

    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "architecture",
        json_text_or_null(uname(&host) == 0 ? host.machine : ""), "microcode",
        cpuinfo(root, "microcode"), "cpu_flags", flags(root), "memory_bytes",
        count_or_null(proc_number(root, "/proc/meminfo", "MemTotal:", 0) * 1024),
        "memory_limit_bytes", memory_limit(root), "huge_pages", huge_pages(root), "governor",
        read_text(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"), "kernel",
        read_text(root, "/proc/sys/kernel/osrelease"), "distribution", distribution(root),
        "product", read_text(root, "/sys/class/dmi/id/product_name"), "clock_source",
        read_text(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource"));
}

static json_t *caches(const char *root)
{
    return json_pack("{s:o, s:o, s:o}", "l1d_bytes", count_or_null(cache_bytes(root, 1, "Data")),
                     "l2_bytes", count_or_null(cache_bytes(root, 2, "Unified")), "l3_bytes",
                     count_or_null(cache_bytes(root, 3, "Unified")));
}

/* Facts about this program. */
static json_t *software(void)
{
    const char *image = getenv("PENNYWORTH_IMAGE");
    char c_library[64] = "";

    confstr(_CS_GNU_LIBC_VERSION, c_library, sizeof c_library);
    return json_pack("{s:s, s:s, s:s, s:o, s:o}", "version", PENNYWORTH_VERSION, "commit",
                     PENNYWORTH_COMMIT, "compiler", __VERSION__, "c_library",
                     json_text_or_null(c_library), "image",
                     json_text_or_null(image ? image : ""));
}

static void hash(const char *text, char ret_hash[MACHINE_HASH_SIZE])
{
    snprintf(ret_hash, MACHINE_HASH_SIZE, "%016" PRIx64, hash_text(HASH_START, text));
}

void machine_fingerprint(const char *facts, char ret_fingerprint[MACHINE_HASH_SIZE])
{
    hash(facts, ret_fingerprint);
}

void machine_second_name(const char *facts, char ret_name[MACHINE_HASH_SIZE])
{
    uint8_t digest[SHA256_SIZE];

    sha256(facts, strlen(facts), digest);
    for (int i = 0; i < 8; i++)
        snprintf(ret_name + 2 * i, MACHINE_HASH_SIZE - (size_t)(2 * i), "%02x", digest[i]);
}

void machine_stratum(const char *facts, char ret_stratum[MACHINE_HASH_SIZE])
{
    /* The facts of hardware(), in its order. */
    static const char *const members[] = {
        "cpu_model",    "cpu_vendor", "cpu_family",       "cpu_model_number",
        "cpu_stepping", "isa",        "processors",       "cores",
        "packages",     "numa_nodes", "quota_processors", "memory_gib",
        "hypervisor"};
    AUTO(json_decrefp) json_t *json = json_loads(facts, 0, NULL);
    AUTO(json_decrefp) json_t *of_hardware = json_object();
    AUTO(freep) char *text = NULL;

    ret_stratum[0] = '\0';
    for (size_t i = 0; i < COUNT(members); i++) {
        json_t *member = json_object_get(json, members[i]);

        if (!member)
            return;
        json_object_set(of_hardware, members[i], member);
    }
    text = json_text(of_hardware);
    hash(text, ret_stratum);
}

void machine_read(const char *root, const struct topology *topology, enum cpu_isa isa,
                  struct machine *ret_machine)
{
    AUTO(json_decrefp) json_t *facts = hardware(root, topology, isa);
    AUTO(json_decrefp) json_t *around = surroundings(root);
    AUTO(freep) char *of_hardware = json_text(facts);

    json_object_update(facts, around);
    json_object_set_new(facts, "caches", caches(root));
    json_object_set_new(facts, "software", software());
    ret_machine->facts = json_text(facts);
    hash(of_hardware, ret_machine->stratum);
    machine_fingerprint(ret_machine->facts, ret_machine->fingerprint);
}

void machine_clear(struct machine *machine)
{
    freep(&machine->facts);
}
