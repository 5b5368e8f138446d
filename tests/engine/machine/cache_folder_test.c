/* Where the cache lies, by the environment, and how its folder is made. */
#include "engine/machine/cache_folder.h"

#include "tests/engine/tree.h"

#include <stdlib.h>

static void set(const char *name, const char *value)
{
    EXPECT_INT(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

TEST(the_cache_of_the_environment_goes_before_the_home)
{
    char folder[PATH_MAX];

    set("XDG_CACHE_HOME", "/a/cache");
    set("HOME", "/a/home");
    EXPECT(cache_folder_find(NULL, folder));
    EXPECT_STR(folder, "/a/cache/pennyworth");
    set("XDG_CACHE_HOME", "relative");
    EXPECT(cache_folder_find(NULL, folder));
    EXPECT_STR(folder, "/a/home/.cache/pennyworth");
    set("XDG_CACHE_HOME", "/a/cache");
    EXPECT(cache_folder_find("/b/home", folder)); /* of another user */
    EXPECT_STR(folder, "/b/home/.cache/pennyworth");
}

TEST(without_an_absolute_path_there_is_none)
{
    static char longest[PATH_MAX + 1];
    char folder[PATH_MAX];

    set("XDG_CACHE_HOME", NULL);
    set("HOME", "");
    EXPECT(!cache_folder_find(NULL, folder));
    set("HOME", NULL);
    EXPECT(!cache_folder_find(NULL, folder));
    memset(longest, '/', PATH_MAX);
    set("HOME", longest);
    EXPECT(!cache_folder_find(NULL, folder));
}

TEST_WITH_TREE(folders_are_made_for_their_owner_alone)
{
    char folder[PATH_MAX];
    struct stat seen;

    snprintf(folder, sizeof folder, "%s/one/two", tree->root);
    cache_folder_make(folder);
    cache_folder_make(folder); /* it is there: nothing happens */
    EXPECT_INT(stat(folder, &seen), 0);
    EXPECT_INT(seen.st_mode & 07777, 0700);
}
