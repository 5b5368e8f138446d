#include "db/file_error.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes `path` its folder; false at the root. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');

    if (!slash || strcmp(path, "/") == 0)
        return false;
    slash[slash == path ? 1 : 0] = '\0';
    return true;
}

/* The nearest part of `path`, from its end, that this process can see: the rest is missing, or
 * hidden by it. */
static bool find_refusing(char *path, struct stat *ret_found)
{
    while (stat(path, ret_found) != 0)
        if (!go_up(path))
            return false;
    return true;
}

bool file_error_set(struct error *err, enum error_kind kind, const char *field, const char *verb,
                    const char *path, int number)
{
    const char *reason = strerror(number);
    char refusing[PATH_MAX];
    struct stat found;

    if (number == EROFS)
        return error_set(err, kind, field,
                         "cannot %s %s: %s: mount a volume there, or choose another --database",
                         verb, path, reason);
    snprintf(refusing, sizeof refusing, "%s", path);
    if (number != EACCES || path[0] != '/' || !find_refusing(refusing, &found))
        return error_set(err, kind, field, "cannot %s %s: %s", verb, path, reason);
    return error_set(err, kind, field,
                     "cannot %s %s: %s: user %u may not write to %s of user %u: run as user %u, "
                     "chown it to %u, or choose another --database",
                     verb, path, reason, geteuid(), refusing, found.st_uid, found.st_uid,
                     geteuid());
}
