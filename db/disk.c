#include "db/disk.h"

#include "common/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* Cut if it is too long: then no file of that name is found. */
static void folder_of(const char *path, char ret_folder[PATH_MAX])
{
    char *slash;

    snprintf(ret_folder, PATH_MAX, "%s", path);
    slash = strrchr(ret_folder, '/');
    if (!slash)
        snprintf(ret_folder, PATH_MAX, ".");
    else if (slash == ret_folder)
        slash[1] = '\0';
    else
        *slash = '\0';
}

static bool disk_failed(struct error *err, const char *what, const char *path)
{
    int number = errno;

    return error_set(err, number == ENOSPC || number == EDQUOT ? ERROR_STORAGE : ERROR_INTERNAL,
                     NULL, "cannot %s %.180s: %s", what, path, strerror(number));
}

bool disk_free_bytes(const char *path, long long *ret_bytes, struct error *err)
{
    char folder[PATH_MAX];
    struct statvfs disk;

    folder_of(path, folder);
    if (statvfs(folder, &disk) != 0)
        return disk_failed(err, "look at the disk of", folder);
    *ret_bytes = (long long)disk.f_bavail * (long long)disk.f_frsize;
    return true;
}

static bool sync_path(const char *path, int flags, struct error *err)
{
    AUTO(closep) int descriptor = open(path, flags | O_CLOEXEC);

    if (descriptor < 0)
        return disk_failed(err, "open", path);
    return fsync(descriptor) == 0 || disk_failed(err, "sync", path);
}

bool disk_sync_file(const char *path, struct error *err)
{
    return sync_path(path, O_RDONLY, err);
}

bool disk_sync_folder(const char *path, struct error *err)
{
    char folder[PATH_MAX];

    folder_of(path, folder);
    return sync_path(folder, O_RDONLY | O_DIRECTORY, err);
}

bool disk_is_same(const char *path, const char *other)
{
    struct stat file, other_file;

    return lstat(path, &file) == 0 && lstat(other, &other_file) == 0 &&
           file.st_dev == other_file.st_dev && file.st_ino == other_file.st_ino;
}

/* Without such a rename in the file system, a hard link does the same. */
static int rename_without_overwriting(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    return link(from, to) == 0 ? unlink(from) : -1;
}

bool disk_rename_new(const char *from, const char *to, struct error *err)
{
    if (rename_without_overwriting(from, to) == 0)
        return true;
    if (errno == EEXIST && disk_is_same(from, to))
        return unlink(from) == 0 || disk_failed(err, "remove", from);
    if (errno == EEXIST)
        return error_set(err, ERROR_CONFLICT, NULL,
                         "%.180s exists already and is not overwritten", to);
    return disk_failed(err, "make", to);
}
