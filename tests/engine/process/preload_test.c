#include "engine/process/preload.h"

#include "tests/engine/tree.h"

static struct run_spec wanting(const char *openmp, const char *allocator)
{
    struct run_spec spec = run_spec_default();

    spec.openmp = openmp;
    spec.allocator = allocator;
    return spec;
}

TEST(a_plain_spec_loads_nothing)
{
    const struct run_spec spec = run_spec_default();
    char list[PRELOAD_MAX] = "x";

    EXPECT(preload_find(&spec, "/nowhere", list, NULL));
    EXPECT_STR(list, "");
}

TEST(a_library_that_is_not_installed_is_refused_with_its_package)
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

        EXPECT_FAILS(preload_find(&spec, "/nowhere", list, &err), (kind, ERROR_UNABLE),
                     (field, missing[i].field));
        EXPECT_SAYS(preload_find(&spec, "/nowhere", list, &err), missing[i].package);
        EXPECT_STR(list, "untouched");
    }
}

TEST(every_library_that_is_missing_is_named)
{
    const struct run_spec spec = wanting("llvm", "tcmalloc");
    char list[PRELOAD_MAX] = "untouched";

    EXPECT_FAILS(preload_find(&spec, "/nowhere", list, &err), (field, "openmp"),
                 (message, "not installed here: 'llvm' (Debian package libomp5), 'tcmalloc' "
                           "(Debian package libtcmalloc-minimal4)"));
    EXPECT_STR(list, "untouched");
}

TEST_WITH_TREE(what_is_installed_is_found_wherever_distributions_put_it)
{
    struct run_spec spec = wanting("llvm", "tcmalloc");
    char list[PRELOAD_MAX], wanted[PRELOAD_MAX];

    tree_put(tree, "/usr/lib/llvm-99/lib/libomp.so.5", " ");
    tree_put(tree, "/usr/lib/some-linux-gnu/libtcmalloc_minimal.so.4", " ");
    EXPECT(preload_find(&spec, tree->root, list, NULL));
    snprintf(wanted, sizeof wanted,
             "%s/usr/lib/llvm-99/lib/libomp.so.5:"
             "%s/usr/lib/some-linux-gnu/libtcmalloc_minimal.so.4",
             tree->root, tree->root);
    EXPECT_STR(list, wanted);

    spec = wanting("gnu", "mimalloc");
    tree_put(tree, "/usr/lib/some-linux-gnu/libmimalloc.so.2", " ");
    EXPECT(preload_find(&spec, tree->root, list, NULL));
    snprintf(wanted, sizeof wanted, "%s/usr/lib/some-linux-gnu/libmimalloc.so.2", tree->root);
    EXPECT_STR(list, wanted);
}
