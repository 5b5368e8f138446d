/* A made-up /proc and /sys for readers that take a root:
 *     TEST_WITH_TREE(a_count_is_read) { tree_put(tree, "/proc/stat", "cpu  1 2 3\n"); } */
#pragma once

#include "tests/test.h"

#include <ftw.h>
#include <stdarg.h>
#include <sys/stat.h>

struct tree {
    char root[64];
};

static inline struct tree tree_make(void)
{
    struct tree tree = {"/tmp/pennyworth-tree-XXXXXX"};

    EXPECT(mkdtemp(tree.root) != NULL);
    return tree;
}

static inline void tree_put(const struct tree *tree, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A file with this text, and the folders above it. */
static inline void tree_put(const struct tree *tree, const char *path, const char *format, ...)
{
    char whole[600];
    va_list arguments;

    snprintf(whole, sizeof whole, "%s%s", tree->root, path);
    for (char *slash = whole + strlen(tree->root) + 1; (slash = strchr(slash, '/')) != NULL;
         slash++) {
        *slash = '\0';
        mkdir(whole, 0700);
        *slash = '/';
    }
    AUTO(fclosep) FILE *file = fopen(whole, "we");
    EXPECT(file != NULL);
    va_start(arguments, format);
    if (file)
        vfprintf(file, format, arguments);
    va_end(arguments);
}

static inline int tree_remove_entry(const char *path, const struct stat *status, int kind,
                                    struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

static inline void tree_remove(struct tree *tree)
{
    nftw(tree->root, tree_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* A test that is given an empty one. */
#define TEST_WITH_TREE(name) TEST_GIVEN(name, const struct tree *tree, with_tree)

static inline void with_tree(void (*test)(const struct tree *tree))
{
    AUTO(tree_remove) struct tree tree = tree_make();

    test(&tree);
}
