#include "engine/machine/machine.h"

#include "common/cleanup.h"
#include "common/hash.h"
#include "common/hex.h"
#include "common/json_text.h"
#include "common/rows/fields.h"
#include "common/rows/members.h"
#include "common/sha256.h"
#include "common/text.h"
#include "common/units.h"
#include "engine/machine/control_group.h"
#include "engine/machine/proc.h"

#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <sys/utsname.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#define TEXT_SIZE 256

/* What is not visible is "" or 0. */
struct facts {
    const char *root;
    char cpu_model[TEXT_SIZE], cpu_vendor[TEXT_SIZE], cpu_family[TEXT_SIZE];
    char cpu_model_number[TEXT_SIZE], cpu_stepping[TEXT_SIZE], hypervisor[TEXT_SIZE];
    enum cpu_isa isa;
    int processors, cores, packages, numa_nodes;
    double quota_processors;
    long long memory_gib, memory_bytes, memory_limit_bytes;
    char architecture[TEXT_SIZE], microcode[TEXT_SIZE], huge_pages[TEXT_SIZE];
    char governor[TEXT_SIZE], kernel[TEXT_SIZE], distribution[TEXT_SIZE], product[TEXT_SIZE];
    char clock_source[TEXT_SIZE], c_library[TEXT_SIZE];
    const char *image;
    long long l1d_bytes, l2_bytes, l3_bytes;
};

/* Of /proc/cpuinfo: what decides which code can run fast. */
static const char *const flags_of_interest[] = {
    "sse4_1",   "avx",         "avx2",     "fma",         "f16c",        "avx512f",
    "avx512bw", "avx512_vnni", "avx_vnni", "avx512_bf16", "avx512_fp16", "amx_tile",
    "amx_bf16", "amx_int8",    "asimd",    "bf16",        "i8mm",        "sve",
};

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

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
            return true;
    return false;
}

static void write_flags(struct json_writer *out, const struct member *row, const void *object)
{
    const struct facts *facts = object;
    char words[8192];

    read_cpuinfo(facts->root, "flags", words, sizeof words);
    if (!*words)
        read_cpuinfo(facts->root, "Features", words, sizeof words); /* arm64 */
    jsonw_open(out, row->name, '[');
    for (size_t i = 0; i < COUNT(flags_of_interest); i++)
        if (has_word(words, flags_of_interest[i]))
            jsonw_text(out, NULL, flags_of_interest[i]);
    jsonw_close(out, ']');
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
        return proc_text(root, file, kind, sizeof kind) && strchr(kind, 'M') ? size * MIB
                                                                             : size * 1024;
    }
    return 0;
}

/* The hypervisor that runs this machine, when it is a guest. */
static void read_hypervisor(const char *root, char text[TEXT_SIZE])
{
#ifdef __x86_64__
    unsigned a, words[3];

    if (!*root && __get_cpuid(1, &a, &words[0], &words[1], &words[2]) && words[1] >> 31) {
        __cpuid(0x40000000, a, words[0], words[1], words[2]);
        memcpy(text, words, sizeof words); /* "KVMKVMKVM", "Microsoft Hv" ... */
        text[sizeof words] = '\0';
    }
#endif
    if (!*text)
        proc_text(root, "/sys/hypervisor/type", text, TEXT_SIZE);
}

/* The word in brackets. */
static void read_huge_pages(const char *root, char ret_text[TEXT_SIZE])
{
    char text[TEXT_SIZE], *open, *end;

    proc_text(root, "/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text);
    open = strchr(text, '[');
    end = open ? strchr(open, ']') : NULL;
    if (end)
        snprintf(ret_text, TEXT_SIZE, "%.*s", (int)(end - open - 1), open + 1);
}

static void read_distribution(const char *root, char ret_text[TEXT_SIZE])
{
    AUTO(fclosep) FILE *file = proc_open(root, "/etc/os-release");
    char line[TEXT_SIZE];

    while (file && fgets(line, sizeof line, file)) {
        char *value = strchr(line, '=');

        if (strncmp(line, "PRETTY_NAME=", strlen("PRETTY_NAME=")) != 0)
            continue;
        value += 1 + (value[1] == '"');
        value[strcspn(value, "\"\n")] = '\0';
        snprintf(ret_text, TEXT_SIZE, "%s", value);
        return;
    }
}

/* clang-format off */
#define MACHINE_TEXT(member)                                                                     \
    {                                                                                            \
        MEMBER(struct facts, member), .nullable = true, .filled = true                           \
    }
#define BYTES(member)                                                                            \
    {                                                                                            \
        MEMBER(struct facts, member), .nullable = true, .range = MEMBER_POSITIVE                 \
    }
/* clang-format on */

/* Facts that decide which runs may be compared. */
static const struct member hardware_rows[] = {
    MACHINE_TEXT(cpu_model),
    MACHINE_TEXT(cpu_vendor),
    MACHINE_TEXT(cpu_family),
    MACHINE_TEXT(cpu_model_number),
    MACHINE_TEXT(cpu_stepping),
    {MEMBER(struct facts, isa), .words = cpu_isa_names,
     .meaning = "The highest instruction set that a program can use; AMX only if a tile "
                "operation worked."},
    {MEMBER(struct facts, processors), .range = MEMBER_POSITIVE,
     .meaning = "Processors that the process may use."},
    {MEMBER(struct facts, cores), .range = MEMBER_POSITIVE},
    {MEMBER(struct facts, packages), .range = MEMBER_POSITIVE},
    {MEMBER(struct facts, numa_nodes), .range = MEMBER_POSITIVE},
    {MEMBER(struct facts, quota_processors), .nullable = true, .range = MEMBER_POSITIVE,
     .meaning = "Processors that the quota of the control group is worth."},
    BYTES(memory_gib),
    MACHINE_TEXT(hypervisor),
    {0},
};
static const struct members hardware_members = {.rows = hardware_rows};

static const struct member cache_rows[] = {
    BYTES(l1d_bytes), BYTES(l2_bytes), BYTES(l3_bytes), {0}};
static const struct members cache_members = {.name = "Caches", .rows = cache_rows};

static const struct member software_rows[] = {
    {.name = "version", .type = MEMBER_TEXT, .always = PENNYWORTH_VERSION},
    {.name = "commit", .type = MEMBER_TEXT, .always = PENNYWORTH_COMMIT},
    {.name = "compiler", .type = MEMBER_TEXT, .always = __VERSION__},
    MACHINE_TEXT(c_library),
    MACHINE_TEXT(image),
    {0},
};
static const struct members software_members = {.name = "Software", .rows = software_rows};

/* The system around the hardware. */
static const struct member rows[] = {
    {MEMBER_ROWS(&hardware_members)},
    MACHINE_TEXT(architecture),
    MACHINE_TEXT(microcode),
    {MEMBER_WRITTEN("cpu_flags", MEMBER_LIST, write_flags), .schema = "{\"type\": \"string\"}"},
    BYTES(memory_bytes),
    {MEMBER(struct facts, memory_limit_bytes), .nullable = true, .range = MEMBER_POSITIVE,
     .meaning = "The smallest memory limit of the control group and the groups above it, in "
                "versions 1 and 2."},
    MACHINE_TEXT(huge_pages),
    MACHINE_TEXT(governor),
    MACHINE_TEXT(kernel),
    MACHINE_TEXT(distribution),
    MACHINE_TEXT(product),
    MACHINE_TEXT(clock_source),
    {MEMBER_GROUP("caches", &cache_members)},
    {MEMBER_GROUP("software", &software_members)},
    {0},
};
const struct members facts_members = {.name = "Facts",
                                      .meaning =
                                          "Facts of a machine; null where the kernel hides one.",
                                      .rows = rows};

static void read_hardware(const char *root, struct facts *facts)
{
    read_cpuinfo(root, "model name", facts->cpu_model, TEXT_SIZE);
    read_cpuinfo(root, "vendor_id", facts->cpu_vendor, TEXT_SIZE);
    read_cpuinfo(root, "cpu family", facts->cpu_family, TEXT_SIZE);
    read_cpuinfo(root, "model", facts->cpu_model_number, TEXT_SIZE);
    read_cpuinfo(root, "stepping", facts->cpu_stepping, TEXT_SIZE);
    read_hypervisor(root, facts->hypervisor);
    facts->memory_bytes = proc_number(root, "/proc/meminfo", "MemTotal:", 0) * 1024;
    facts->memory_gib = (long long)((double)facts->memory_bytes / GIB + 0.5);
    facts->l1d_bytes = cache_bytes(root, 1, "Data");
    facts->l2_bytes = cache_bytes(root, 2, "Unified");
    facts->l3_bytes = cache_bytes(root, 3, "Unified");
}

static void read_system(const char *root, struct facts *facts)
{
    static const struct {
        const char *path;
        size_t offset;
    } files[] = {{"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
                  offsetof(struct facts, governor)},
                 {"/proc/sys/kernel/osrelease", offsetof(struct facts, kernel)},
                 {"/sys/class/dmi/id/product_name", offsetof(struct facts, product)},
                 {"/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  offsetof(struct facts, clock_source)}};
    const char *image = getenv("PENNYWORTH_IMAGE");
    struct group_memory memory;
    struct utsname host;

    for (size_t i = 0; i < COUNT(files); i++)
        proc_text(root, files[i].path, (char *)facts + files[i].offset, TEXT_SIZE);
    read_cpuinfo(root, "microcode", facts->microcode, TEXT_SIZE);
    read_huge_pages(root, facts->huge_pages);
    read_distribution(root, facts->distribution);
    control_group_memory(root, &memory);
    facts->memory_limit_bytes = memory.limit;
    if (uname(&host) == 0)
        snprintf(facts->architecture, TEXT_SIZE, "%s", host.machine);
    confstr(_CS_GNU_LIBC_VERSION, facts->c_library, TEXT_SIZE);
    facts->image = image && text_is_utf8(image, strlen(image)) ? image : "";
}

/* Bytes that are no UTF-8 give no text. */
static void keep_texts(const struct member *row, struct facts *facts)
{
    for (; row->name; row++) {
        char *text = (char *)facts + row->offset;

        if (row->type == MEMBER_CHARS && !text_is_utf8(text, strlen(text)))
            *text = '\0';
        else if (row->members)
            keep_texts(row->members->rows, facts);
    }
}

static bool facts_fit(const struct member *row, const json_t *facts, struct error *err);

static bool is_list_of_texts(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_string(json_array_get(list, i)))
            return false;
    return json_is_array(list);
}

static bool fact_fits(const struct member *row, const json_t *value, struct error *err)
{
    const bool is_whole = row->type == MEMBER_INT || row->type == MEMBER_INTEGER;
    const struct field field = {.name = row->name,
                                .type = row->words ? FIELD_CHOICE
                                        : is_whole ? FIELD_INTEGER
                                                   : FIELD_AMOUNT,
                                .max = LLONG_MAX,
                                .choices = row->words};
    struct error why = {0};
    union {
        const char *word;
        long long whole;
        double number;
    } read;

    if (!value || json_is_null(value))
        return true;
    if (row->words || is_whole || row->type == MEMBER_NUMBER)
        return field_read(&field, value, &read, err);
    if (row->type == MEMBER_LIST)
        return is_list_of_texts(value) ||
               error_set(err, ERROR_INVALID, row->name, "must be an array of strings");
    if (row->type == MEMBER_OBJECT)
        return facts_fit(row->members->rows, value, &why) || error_within(err, &why, row->name);
    return json_is_string(value) || error_set(err, ERROR_INVALID, row->name, "must be a string");
}

static bool facts_fit(const struct member *row, const json_t *facts, struct error *err)
{
    if (!json_is_object(facts))
        return error_set(err, ERROR_INVALID, NULL, "must be an object");
    for (; row->name; row++)
        if (!(row->type == MEMBER_PART ? facts_fit(row->members->rows, facts, err)
                                       : fact_fits(row, json_object_get(facts, row->name), err)))
            return false;
    return true;
}

bool machine_facts_check(const char *facts, struct error *err)
{
    AUTO(json_decrefp) json_t *json = json_loads(facts, 0, NULL);

    return facts_fit(rows, json, err);
}

static void hash_in_digits(const char *text, char ret_hash[MACHINE_HASH_SIZE])
{
    snprintf(ret_hash, MACHINE_HASH_SIZE, "%016" PRIx64, hash_text(HASH_START, text));
}

void machine_fingerprint(const char *facts, char ret_fingerprint[MACHINE_HASH_SIZE])
{
    hash_in_digits(facts, ret_fingerprint);
}

void machine_second_name(const char *facts, char ret_name[MACHINE_HASH_SIZE])
{
    uint8_t digest[SHA256_SIZE];

    sha256(facts, strlen(facts), digest);
    hex_write(digest, (MACHINE_HASH_SIZE - 1) / 2, ret_name);
}

void machine_stratum(const char *facts, char ret_stratum[MACHINE_HASH_SIZE])
{
    AUTO(json_decrefp) json_t *json = json_loads(facts, 0, NULL);
    AUTO(json_decrefp) json_t *of_hardware = json_object();
    AUTO(freep) char *text = NULL;

    ret_stratum[0] = '\0';
    for (const struct member *row = hardware_rows; row->name; row++) {
        json_t *member = json_object_get(json, row->name);

        if (!member)
            return;
        json_object_set(of_hardware, row->name, member);
    }
    text = json_text(of_hardware);
    hash_in_digits(text, ret_stratum);
}

void machine_read(const char *root, const struct topology *topology, enum cpu_isa isa,
                  struct machine *ret_machine)
{
    struct facts facts = {.root = root,
                          .isa = isa,
                          .processors = topology->cpu_count,
                          .cores = topology->core_count,
                          .packages = topology->package_count,
                          .numa_nodes = topology->node_count,
                          .quota_processors = topology->quota};
    AUTO(freep) char *of_hardware = NULL;

    read_hardware(root, &facts);
    read_system(root, &facts);
    keep_texts(rows, &facts);
    of_hardware = members_to_text(&hardware_members, &facts);
    ret_machine->facts = members_to_text(&facts_members, &facts);
    hash_in_digits(of_hardware, ret_machine->stratum);
    machine_fingerprint(ret_machine->facts, ret_machine->fingerprint);
}

void machine_clear(struct machine *machine)
{
    freep(&machine->facts);
}
