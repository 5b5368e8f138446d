/* Tested by tests/api/test_tokens.py. */
#include "server/http/tokens/tokens_remove.h"

#include "common/bytes.h"
#include "common/cleanup.h"
#include "db/disk.h"
#include "server/base/option_file.h"
#include "server/http/tokens/tokens.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

static bool is_of(const char *line, size_t length, const char *name)
{
    size_t size = strlen(name), blank = 0;

    while (blank < length && (line[blank] == ' ' || line[blank] == '\t'))
        blank++;
    line += blank;
    length -= blank;
    return length > size && strncmp(line, name, size) == 0 &&
           (line[size] == ' ' || line[size] == '\t');
}

static bool copy_others(const struct bytes *text, const char *name, struct bytes *rest,
                        bool *ret_found)
{
    for (size_t at = 0, length; at < text->used; at += length) {
        const char *line = text->data + at, *end = memchr(line, '\n', text->used - at);

        length = end ? (size_t)(end - line) + 1 : text->used - at;
        if (is_of(line, length, name))
            *ret_found = true;
        else if (!bytes_add(rest, line, length))
            return false;
    }
    return true;
}

static bool tokens_file_error(struct error *err, const char *path)
{
    return error_set(err, ERROR_INTERNAL, "--tokens", "cannot write %s: %s", path,
                     strerror(errno));
}

/* Writes and syncs the new content under another name, with the old file's mode and owner. */
static bool write_rest(const char *path, const char *fresh, const struct bytes *rest,
                       struct error *err)
{
    AUTO(closep) int out = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    struct stat status;

    if (out < 0 || stat(path, &status) != 0)
        return tokens_file_error(err, fresh);
    if (fchown(out, status.st_uid, status.st_gid) != 0 && errno != EPERM)
        return tokens_file_error(err, fresh);
    if (fchmod(out, status.st_mode & 0777) != 0 ||
        (rest->used > 0 && write(out, rest->data, rest->used) != (ssize_t)rest->used) ||
        fsync(out) != 0)
        return tokens_file_error(err, fresh);
    return true;
}

bool tokens_remove(const char *file, const char *name, bool *ret_found, struct error *err)
{
    AUTO(bytes_free)
    struct bytes text = {.limit = TOKENS_FILE_MAX}, rest = {.limit = TOKENS_FILE_MAX};
    AUTO(freep) char *path = realpath(file, NULL);
    char fresh[PATH_MAX + 8];

    *ret_found = false;
    if (!path)
        return error_set(err, ERROR_INVALID, "--tokens", "cannot read %s: %s", file,
                         strerror(errno));
    if (!option_file_read("--tokens", path, &text, err))
        return false;
    if (!copy_others(&text, name, &rest, ret_found))
        return bytes_too_long(&rest, "the file of tokens", err);
    if (!*ret_found)
        return true;
    snprintf(fresh, sizeof fresh, "%s.new", path);
    if (!write_rest(path, fresh, &rest, err) ||
        (rename(fresh, path) != 0 && !tokens_file_error(err, path))) {
        (void)!unlink(fresh);
        return false;
    }
    return disk_sync_folder(path, err);
}
