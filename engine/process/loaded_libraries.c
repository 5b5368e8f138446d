#include "engine/process/loaded_libraries.h"

#include "common/cleanup.h"
#include "common/json_text.h"
#include "common/text.h"
#include "engine/machine/proc.h"

#include <string.h>

/* What a file's name begins with. LLVM's runtime is loaded in front of GNU's and answers for it;
 * so the first row that fits anything wins. */
static const struct {
    const char *begins, *word;
} allocators[] = {{"libtcmalloc", "tcmalloc"},
                  {"libjemalloc", "jemalloc"},
                  {"libmimalloc", "mimalloc"}},
  runtimes[] = {{"libiomp5", "intel"}, {"libomp", "llvm"}, {"libgomp", "gnu"}};

struct findings {
    bool allocator[COUNT(allocators)], runtime[COUNT(runtimes)];
};

static void look_at_file(const char *name, struct findings *findings,
                         struct loaded_libraries *loaded)
{
    for (size_t i = 0; i < COUNT(allocators); i++)
        if (strncmp(name, allocators[i].begins, strlen(allocators[i].begins)) == 0)
            findings->allocator[i] = true;
    for (size_t i = 0; i < COUNT(runtimes); i++)
        if (strncmp(name, runtimes[i].begins, strlen(runtimes[i].begins)) == 0)
            findings->runtime[i] = true;
    if (strncmp(name, "libdnnl", strlen("libdnnl")) == 0) {
        snprintf(loaded->dnn, sizeof loaded->dnn, "%.63s", name);
        text_make_line(loaded->dnn, strlen(loaded->dnn));
    }
}

void loaded_libraries_read(const char *root, pid_t process, struct loaded_libraries *ret_loaded)
{
    AUTO(fclosep) FILE *maps = proc_open(root, "/proc/%d/maps", (int)process);
    struct loaded_libraries loaded = {.allocator = "system", .openmp = "none"};
    struct findings findings = {0};
    char line[1024];

    while (maps && fgets(line, sizeof line, maps)) {
        const char *slash = strrchr(line, '/');

        line[strcspn(line, "\n")] = '\0';
        if (slash && strchr(line, '/') != NULL)
            look_at_file(slash + 1, &findings, &loaded);
    }
    for (size_t i = COUNT(allocators); i-- > 0;)
        if (findings.allocator[i])
            loaded.allocator = allocators[i].word;
    for (size_t i = COUNT(runtimes); i-- > 0;)
        if (findings.runtime[i])
            loaded.openmp = runtimes[i].word;
    *ret_loaded = loaded;
}

char *loaded_libraries_to_text(const struct loaded_libraries *loaded)
{
    AUTO(json_decrefp)
    json_t *json = json_pack("{s:s, s:s, s:s?}", "allocator", loaded->allocator, "openmp",
                             loaded->openmp, "dnn", loaded->dnn[0] ? loaded->dnn : NULL);

    return json_text(json);
}
