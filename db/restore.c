#include "db/restore.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "db/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <time.h>

/* DATABASE.part is the copy in progress; once complete it is renamed to DATABASE.restored, and
 * that is the decision. Old files are set aside under a name with its time, so that the next
 * call, which may finish this one, uses the same names. The database is renamed last: before
 * that, its log could be mixed up with the old one's. */
static const char *const moved[] = {"-wal", "-shm", "-journal", ""};

static bool name_it(char ret_name[PATH_MAX], const char *path, const char *tail,
                    struct error *err)
{
    return snprintf(ret_name, PATH_MAX, "%s%s", path, tail) < PATH_MAX ||
           error_set(err, ERROR_INVALID, NULL, "the name of the database is too long");
}

static bool file_exists(const char *path)
{
    struct stat file;

    return lstat(path, &file) == 0;
}

static void restore_tell(const struct restore_order *order, const char *step)
{
    if (order->did)
        order->did(step);
}

static bool name_aside(const char *database, time_t stamp, char ret_aside[PATH_MAX],
                       struct error *err)
{
    struct tm moment;
    char tail[64];

    if (!gmtime_r(&stamp, &moment) ||
        strftime(tail, sizeof tail, ".replaced-%Y%m%dT%H%M%SZ", &moment) == 0)
        return error_set(err, ERROR_INTERNAL, NULL, "cannot write the time");
    return name_it(ret_aside, database, tail, err);
}

static bool is_name_taken(const char *aside)
{
    char name[PATH_MAX];

    for (size_t i = 0; i < COUNT(moved); i++)
        if (!name_it(name, aside, moved[i], NULL) || file_exists(name))
            return true;
    return false;
}

/* The first second from now on with free names. */
static bool stamp_part(const struct restore_order *order, const char *part, struct error *err)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
                                {.tv_sec = order->now_us / US_PER_SECOND}};
    char aside[PATH_MAX];

    for (int attempt = 0; attempt < 1000; attempt++, times[1].tv_sec++) {
        if (!name_aside(order->database, times[1].tv_sec, aside, err))
            return false;
        if (is_name_taken(aside))
            continue;
        return utimensat(AT_FDCWD, part, times, 0) == 0 ||
               error_set(err, ERROR_INTERNAL, NULL, "cannot date %.150s: %s", part,
                         strerror(errno));
    }
    return error_set(err, ERROR_CONFLICT, NULL, "%.150s is there already", aside);
}

static bool read_aside(const char *database, const char *restored, char ret_aside[PATH_MAX],
                       struct error *err)
{
    struct stat file;

    if (stat(restored, &file) != 0)
        return error_set(err, ERROR_INTERNAL, NULL, "cannot look at %.150s: %s", restored,
                         strerror(errno));
    return name_aside(database, file.st_mtim.tv_sec, ret_aside, err);
}

static bool put_aside(const struct restore_order *order, const char *aside, struct error *err)
{
    char from[PATH_MAX], to[PATH_MAX];

    for (size_t i = 0; i < COUNT(moved); i++) {
        if (!name_it(from, order->database, moved[i], err) || !name_it(to, aside, moved[i], err))
            return false;
        if (file_exists(from) && !disk_rename_new(from, to, err))
            return false;
        restore_tell(order, "put aside");
    }
    return disk_sync_folder(order->database, err);
}

/* From the decision to the end. If the restored file already has the database's name, everything
 * was set aside before. */
static bool restore_finish_decided(const struct restore_order *order, struct error *err)
{
    char restored[PATH_MAX], aside[PATH_MAX];

    if (!name_it(restored, order->database, ".restored", err) ||
        !read_aside(order->database, restored, aside, err) ||
        (!disk_is_same(restored, order->database) && !put_aside(order, aside, err)) ||
        !disk_rename_new(restored, order->database, err))
        return false;
    restore_tell(order, "in place");
    return disk_sync_folder(order->database, err);
}

bool restore_is_pending(const char *database)
{
    char restored[PATH_MAX];

    return name_it(restored, database, ".restored", NULL) && file_exists(restored);
}

bool restore_is_settled(const char *database, struct error *err)
{
    return !restore_is_pending(database) ||
           error_set(err, ERROR_CONFLICT, NULL,
                     "a restore of %.120s was not finished: start the server or restore again, "
                     "which finishes it",
                     database);
}

bool restore_finish(const char *database, struct error *err)
{
    return !restore_is_pending(database) ||
           restore_finish_decided(&(struct restore_order){.database = database}, err);
}

/* A log next to the file has data that the file lacks: the database is in use, or was killed. */
static bool is_one_file(const char *backup, struct error *err)
{
    static const char *const tails[] = {"-wal", "-journal"};
    char name[PATH_MAX];
    struct stat file;

    for (size_t i = 0; i < COUNT(tails); i++) {
        if (!name_it(name, backup, tails[i], err))
            return false;
        if (stat(name, &file) == 0 && file.st_size > 0)
            return error_set(err, ERROR_CONFLICT, NULL,
                             "%.120s exists, so this is a database in use, not a backup: "
                             "make one with \"pennyworth backup\"",
                             name);
    }
    return true;
}

static bool make_empty(const char *path, struct error *err)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (descriptor < 0)
        return error_set(err, errno == ENOSPC || errno == EDQUOT ? ERROR_STORAGE : ERROR_INTERNAL,
                         NULL, "cannot make %.150s: %s", path, strerror(errno));
    close(descriptor);
    return true;
}

/* Copies the backup to DATABASE.part, complete and on the disk. */
static bool copy_in(const struct restore_order *order, const char *part,
                    struct verify_facts *ret_facts, struct error *err)
{
    struct error why = {0};

    if (!make_empty(part, err))
        return false;
    if (backup_copy_back(order->backup, part, order->watch, ret_facts, &why) &&
        stamp_part(order, part, &why) && disk_sync_file(part, &why))
        return true;
    (void)!unlink(part);
    return error_set(err, why.kind, NULL, "%s", why.message);
}

/* Checks only the header of the file; the rest is checked during the copy. */
static bool is_backup(const char *path, struct error *err)
{
    static const char magic[16] = "SQLite format 3";
    char header[72] = "";
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, header, sizeof header);

    if (length < 0)
        error_set(err, ERROR_NOT_FOUND, NULL, "%.160s cannot be read: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    if (length < 0)
        return false;
    if (length == sizeof header && memcmp(header, magic, sizeof magic) == 0)
        return memcmp(header + 68, "penn", 4) == 0 || /* the application_id of schema.c */
               error_set(err, ERROR_INVALID, NULL,
                         "%.150s is not a pennyworth backup: it is a database of another program",
                         path);
    return error_set(err, ERROR_INVALID, NULL,
                     "%.150s is not a pennyworth backup: it is not a database", path);
}

static bool may_begin(const struct restore_order *order, struct error *err)
{
    struct stat file;

    if (stat(order->backup, &file) != 0 || !S_ISREG(file.st_mode))
        return error_set(err, ERROR_NOT_FOUND, NULL, "there is no file %.200s", order->backup);
    if (!is_one_file(order->backup, err) || !is_backup(order->backup, err))
        return false;
    return order->replace || !file_exists(order->database) ||
           error_set(err, ERROR_CONFLICT, "--replace",
                     "on is needed to put the database %.150s aside, which is there already",
                     order->database);
}

bool restore_make(const struct restore_order *order, struct verify_facts *ret_facts,
                  char ret_aside[RESTORE_NAME_MAX], struct error *err)
{
    char part[PATH_MAX], restored[PATH_MAX], aside[PATH_MAX];

    if (!name_it(part, order->database, ".part", err) ||
        !name_it(restored, order->database, ".restored", err) ||
        !restore_finish(order->database, err) || !may_begin(order, err))
        return false;
    (void)!unlink(part); /* of a restore that was killed: the lock says that it is not at work */
    if (!copy_in(order, part, ret_facts, err))
        return false;
    restore_tell(order, "copied");
    if (!disk_rename_new(part, restored, err) || !disk_sync_folder(restored, err))
        return false;
    restore_tell(order, "decided");
    if (!read_aside(order->database, restored, aside, err) || !restore_finish_decided(order, err))
        return false;
    snprintf(ret_aside, RESTORE_NAME_MAX, "%s", file_exists(aside) ? aside : "");
    return true;
}
