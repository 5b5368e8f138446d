#include "engine/machine/cache_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool cache_folder_find(const char *home, char ret_folder[PATH_MAX])
{
    const char *cache = home ? NULL : getenv("XDG_CACHE_HOME");

    if (cache && cache[0] == '/')
        return snprintf(ret_folder, PATH_MAX, "%s/pennyworth", cache) < PATH_MAX;
    if (!home)
        home = getenv("HOME");
    return home && home[0] == '/' &&
           snprintf(ret_folder, PATH_MAX, "%s/.cache/pennyworth", home) < PATH_MAX;
}

void cache_folder_make(const char *folder)
{
    size_t length = strlen(folder);
    char path[PATH_MAX];

    if (length == 0 || length >= sizeof path)
        return;
    memcpy(path, folder, length + 1);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}
