#include "engine/process/preload.h"

#include "common/cleanup.h"

#include <glob.h>
#include <string.h>

/* The newest first where a library has had several names. */
static const struct {
    const char *field, *word;
    const char *names[4];
    const char *package;
} libraries[] = {
    {"openmp", "llvm", {"libomp.so.5", "libomp.so"}, "libomp5"},
    {"allocator",
     "tcmalloc",
     {"libtcmalloc_minimal.so.4", "libtcmalloc.so.4"},
     "libtcmalloc-minimal4"},
    {"allocator", "jemalloc", {"libjemalloc.so.2"}, "libjemalloc2"},
    {"allocator", "mimalloc", {"libmimalloc.so.3", "libmimalloc.so.2"}, "libmimalloc2.0"},
};

static const char *const folders[] = {"/usr/local/lib", "/usr/lib/*-linux-gnu", "/usr/lib64",
                                      "/usr/lib", "/usr/lib/llvm-*/lib"};

/* The first file that fits; "" when there is none. */
static void find_file(const char *root, const char *const names[], char *ret_path, size_t size)
{
    ret_path[0] = '\0';
    for (size_t name = 0; names[name]; name++)
        for (size_t folder = 0; folder < COUNT(folders); folder++) {
            char pattern[PRELOAD_MAX];
            glob_t found = {0};

            snprintf(pattern, sizeof pattern, "%s%s/%s", root, folders[folder], names[name]);
            if (glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 0 &&
                strlen(found.gl_pathv[0]) < size)
                snprintf(ret_path, size, "%s", found.gl_pathv[0]);
            globfree(&found);
            if (ret_path[0])
                return;
        }
}

static bool is_wanted(const struct run_spec *spec, size_t index)
{
    const char *word =
        strcmp(libraries[index].field, "openmp") == 0 ? spec->openmp : spec->allocator;

    return strcmp(word, libraries[index].word) == 0;
}

/* Names every missing library, so that one installation is enough. */
static void add_missing(size_t index, char *names, size_t size)
{
    size_t used = strlen(names);

    snprintf(names + used, size - used, "%s'%s' (Debian package %s)", used ? ", " : "",
             libraries[index].word, libraries[index].package);
}

bool preload_find(const struct run_spec *spec, const char *root, char ret_list[PRELOAD_MAX],
                  struct error *err)
{
    char list[PRELOAD_MAX] = "", missing[160] = "";
    const char *field = NULL;

    for (size_t i = 0; i < COUNT(libraries); i++) {
        char path[PRELOAD_MAX / COUNT(libraries)];
        size_t used = strlen(list);

        if (!is_wanted(spec, i))
            continue;
        find_file(root, libraries[i].names, path, sizeof path);
        if (!path[0]) {
            add_missing(i, missing, sizeof missing);
            field = field ? field : libraries[i].field;
            continue;
        }
        snprintf(list + used, sizeof list - used, "%s%s", used ? ":" : "", path);
    }
    if (field)
        return error_set(err, ERROR_UNABLE, field, "not installed here: %s", missing);
    memcpy(ret_list, list, sizeof list);
    return true;
}
