#include "engine/process/preload.h"

#include "common/cleanup.h"
#include "tests/test.h"

#include <ftw.h>
#include <sys/stat.h>

static char root[64];

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

/* An empty file, with the folders above it. */
static void put(const char *path)
{
    char whole[300];

    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(whole, 0700);
        *slash = '/';
    }
    AUTO(fclosep) FILE *file = fopen(whole, "we");
    EXPECT(file != NULL);
}

static struct run_spec wanting(const char *openmp, const char *allocator)
{
    struct run_spec spec = run_spec_default();

    spec.openmp = openmp;
    spec.allocator = allocator;
    return spec;
}

static void a_plain_spec_loads_nothing(void)
{
    const struct run_spec spec = run_spec_default();
    char list[PRELOAD_MAX] = "x";

    EXPECT(preload_find(&spec, root, list, NULL));
    EXPECT_STR(list, "");
}

static void a_library_that_is_not_installed_is_refused_with_its_package(void)
{
    static const struct {
        const char *openmp, *allocator, *field, *package;
    } missing[] = {{"llvm", "system", "openmp", "libomp5"},
                   {"gnu", "tcmalloc", "allocator", "libtcmalloc-minimal4"},
                   {"gnu", "jemalloc", "allocator", "libjemalloc2"},
                   {"gnu", "mimalloc", "allocator", "libmimalloc2.0"}};

    for (size_t i = 0; i < COUNT(missing); i++) {
        const struct run_spec spec = wanting(missing[i].openmp, missing[i].allocator);
        char list[PRELOAD_MAX] = "untouched";
        struct error err = {0};

        EXPECT(!preload_find(&spec, root, list, &err));
        EXPECT_INT(err.kind, ERROR_UNABLE);
        EXPECT_STR(err.field, missing[i].field);
        EXPECT(strstr(err.message, missing[i].package) != NULL);
        EXPECT_STR(list, "untouched");
    }
}

static void every_library_that_is_missing_is_named(void)
{
    const struct run_spec spec = wanting("llvm", "tcmalloc");
    char list[PRELOAD_MAX] = "untouched";
    struct error err = {0};

    EXPECT(!preload_find(&spec, root, list, &err));
    EXPECT_STR(err.field, "openmp");
    EXPECT_STR(err.message, "not installed here: 'llvm' (Debian package libomp5), 'tcmalloc' "
                            "(Debian package libtcmalloc-minimal4)");
    EXPECT_STR(list, "untouched");
}

static void what_is_installed_is_found_wherever_distributions_put_it(void)
{
    struct run_spec spec = wanting("llvm", "tcmalloc");
    char list[PRELOAD_MAX], wanted[PRELOAD_MAX];

    put("/usr/lib/llvm-99/lib/libomp.so.5");
    put("/usr/lib/some-linux-gnu/libtcmalloc_minimal.so.4");
    EXPECT(preload_find(&spec, root, list, NULL));
    snprintf(wanted, sizeof wanted,
             "%s/usr/lib/llvm-99/lib/libomp.so.5:"
             "%s/usr/lib/some-linux-gnu/libtcmalloc_minimal.so.4",
             root, root);
    EXPECT_STR(list, wanted);

    spec = wanting("gnu", "mimalloc");
    put("/usr/lib/some-linux-gnu/libmimalloc.so.2");
    EXPECT(preload_find(&spec, root, list, NULL));
    snprintf(wanted, sizeof wanted, "%s/usr/lib/some-linux-gnu/libmimalloc.so.2", root);
    EXPECT_STR(list, wanted);
}

int main(void)
{
    snprintf(root, sizeof root, "/tmp/preload-test-XXXXXX");
    if (!mkdtemp(root))
        return 1;
    RUN(a_plain_spec_loads_nothing);
    RUN(a_library_that_is_not_installed_is_refused_with_its_package);
    RUN(every_library_that_is_missing_is_named);
    RUN(what_is_installed_is_found_wherever_distributions_put_it);
    nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return test_result();
}
