#include "server/keys/key_file.h"

#include "common/cleanup.h"
#include "common/hex.h"
#include "db/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/random.h>
#include <sys/stat.h>

#define WORD "ed25519 "
#define LINE_SIZE                                                                                \
    (sizeof WORD + 2 * (size_t)(SIGNATURE_KEY_SIZE)) /* with the newline and a NUL */

struct paths {
    char file[PATH_MAX + 8], fresh[PATH_MAX + 32];
};

static bool make_paths(const char *database, struct paths *ret_paths, struct error *err)
{
    int length =
        snprintf(ret_paths->file, sizeof ret_paths->file, "%s%s", database, KEY_FILE_ENDING);

    if (length < 0 || length >= PATH_MAX)
        return error_set(err, ERROR_INVALID, "--database", "the path of its key is too long");
    snprintf(ret_paths->fresh, sizeof ret_paths->fresh, "%s.%lld", ret_paths->file,
             (long long)gettid());
    return true;
}

static bool key_file_error(struct error *err, const char *verb, const char *path)
{
    return error_set(err, ERROR_INTERNAL, "--database", "cannot %s the key %s: %s", verb, path,
                     strerror(errno));
}

static void write_line(const struct signing_key *key, char ret_line[LINE_SIZE])
{
    char secret[2 * ED25519_SIZE + 1];

    hex_write(key->pair.secret, ED25519_SIZE, secret);
    snprintf(ret_line, LINE_SIZE, WORD "%s %s\n", secret, key->text);
    explicit_bzero(secret, sizeof secret);
}

/* The public half detects damage: it must match the secret. */
static bool read_line(const char *path, const char *line, struct signing_key *key,
                      struct error *err)
{
    char again[LINE_SIZE];
    bool ok = strlen(line) == LINE_SIZE - 1 && strncmp(line, WORD, sizeof WORD - 1) == 0 &&
              hex_read(line + sizeof WORD - 1, ED25519_SIZE, key->pair.secret);

    if (ok) {
        signing_key_complete(key);
        write_line(key, again);
    }
    ok = ok && strcmp(line, again) == 0;
    explicit_bzero(again, sizeof again);
    return ok || error_set(err, ERROR_INVALID, "--database",
                           "the key %.120s is damaged: put the file back, or make another key "
                           "with \"pennyworth key rotate\"",
                           path);
}

/* *ret_found is false if there is no file. */
static bool read_file(const char *path, struct signing_key *key, bool *ret_found,
                      struct error *err)
{
    AUTO(closep) int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char line[LINE_SIZE + 1]; /* one more, to see what is too long */
    struct stat status;
    ssize_t length;
    bool ok;

    *ret_found = file >= 0 || errno != ENOENT;
    if (file < 0)
        return !*ret_found || key_file_error(err, "read", path);
    if (fstat(file, &status) != 0)
        return key_file_error(err, "read", path);
    if (!S_ISREG(status.st_mode) || (status.st_mode & 077) != 0)
        return error_set(err, ERROR_INVALID, "--database",
                         "the key %.120s must be a file that only its owner may read: chmod 600 "
                         "it, or make another key with \"pennyworth key rotate\"",
                         path);
    length = read(file, line, sizeof line - 1);
    if (length < 0)
        return key_file_error(err, "read", path);
    line[length] = '\0';
    ok = read_line(path, line, key, err);
    explicit_bzero(line, sizeof line);
    return ok;
}

static bool make_key(struct signing_key *key, struct error *err)
{
    if (getrandom(key->pair.secret, sizeof key->pair.secret, 0) !=
        (ssize_t)sizeof key->pair.secret)
        return error_set(err, ERROR_INTERNAL, NULL, "the system has no random bytes");
    signing_key_complete(key);
    return true;
}

/* Writes and syncs a file of a name that no other process uses. */
static bool write_fresh(const struct paths *paths, const struct signing_key *key,
                        struct error *err)
{
    AUTO(closep) int file = -1;
    char line[LINE_SIZE];
    bool ok;

    (void)!unlink(paths->fresh); /* of a process of this number that was killed */
    file = open(paths->fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return key_file_error(err, "write", paths->fresh);
    write_line(key, line);
    ok = write(file, line, LINE_SIZE - 1) == (ssize_t)(LINE_SIZE - 1) && fsync(file) == 0;
    explicit_bzero(line, sizeof line);
    return ok || key_file_error(err, "write", paths->fresh);
}

/* link() never overwrites: *ret_first is false if another process was first. On file systems
 * without links the last one wins; the database's lock lets only one server start. */
static bool give_name(const struct paths *paths, bool *ret_first, struct error *err)
{
    *ret_first = link(paths->fresh, paths->file) == 0 ||
                 ((errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS) &&
                  rename(paths->fresh, paths->file) == 0);
    if (!*ret_first && errno != EEXIST)
        return key_file_error(err, "write", paths->file);
    return disk_sync_folder(paths->file, err);
}

bool key_file_load(const char *database, struct signing_key *ret_key, struct error *err)
{
    struct paths paths;
    bool found, first, ok;

    if (!make_paths(database, &paths, err) || !read_file(paths.file, ret_key, &found, err))
        return false;
    if (found)
        return true;
    ok = make_key(ret_key, err) && write_fresh(&paths, ret_key, err) &&
         give_name(&paths, &first, err);
    (void)!unlink(paths.fresh);
    if (!ok || first)
        return ok;
    return read_file(paths.file, ret_key, &found, err) &&
           (found ||
            error_set(err, ERROR_INTERNAL, "--database", "the key %.200s has gone", paths.file));
}

bool key_file_rotate(const char *database, struct signing_key *ret_key, struct error *err)
{
    struct paths paths;

    if (!make_paths(database, &paths, err) || !make_key(ret_key, err))
        return false;
    if (write_fresh(&paths, ret_key, err) &&
        (rename(paths.fresh, paths.file) == 0 || key_file_error(err, "replace", paths.file)))
        return disk_sync_folder(paths.file, err);
    (void)!unlink(paths.fresh);
    return false;
}
