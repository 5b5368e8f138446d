#include "db/backup.h"

#include "common/cleanup.h"
#include "db/connection.h"
#include "db/db_open.h"
#include "db/disk.h"
#include "db/stmt.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#define SLICE_PAGES 256           /* a megabyte of pages between two calls of the watch */
#define MARGIN (1024 * 1024)      /* spare bytes that a file system needs */
#define LOOK_INSTRUCTIONS 1000000 /* SQLite steps between two calls during the check */

struct copy {
    struct db *from, *to;
    sqlite3_backup *backup;
    const struct backup_watch *watch;
    const char *source, *target;
    long long pages;
    bool stopped;
};

/* Removes SQLite's files next to a database; missing ones are fine. */
static void remove_side_files(const char *path)
{
    static const char *const tails[] = {"-wal", "-shm", "-journal"};
    char name[PATH_MAX];

    for (size_t i = 0; i < COUNT(tails); i++)
        if (snprintf(name, sizeof name, "%s%s", path, tails[i]) < (int)sizeof name)
            (void)!unlink(name);
}

static void copy_end(struct copy *copy)
{
    if (copy->backup)
        sqlite3_backup_finish(copy->backup);
    db_free(copy->to);
    db_free(copy->from);
    remove_side_files(copy->target);
}

static bool copy_goes_on(struct copy *copy, long long done)
{
    const struct backup_watch *watch = copy->watch;

    if (!copy->stopped && watch)
        copy->stopped = !watch->go_on(watch->user, done, copy->pages);
    return !copy->stopped;
}

static int look_while_checking(void *user)
{
    struct copy *copy = user;

    return copy_goes_on(copy, copy->pages) ? 0 : 1;
}

static bool backup_was_stopped(struct error *err)
{
    return error_set(err, ERROR_CONFLICT, NULL, "it was stopped before it was complete");
}

static bool copy_has_room(struct copy *copy, struct error *err)
{
    long long needed, left;

    if (!db_size(copy->from, &needed, err) || !disk_free_bytes(copy->target, &left, err))
        return false;
    return needed + MARGIN <= left ||
           error_set(err, ERROR_STORAGE, NULL,
                     "the copy needs %lld MiB, but only %lld MiB are free next to %.120s",
                     (needed + MARGIN) >> 20, left >> 20, copy->target);
}

/* The copy is the source's state from here on, whatever is written later. */
static bool copy_hold_still(struct copy *copy, struct error *err)
{
    return db_execute(copy->from, "BEGIN", err) && schema_check(copy->from, &schema_today, err) &&
           stmt_number(copy->from, "PRAGMA page_count", &copy->pages, err);
}

/* No other process uses the copy, and an incomplete one is thrown away, so it has no journal. */
static bool copy_open_target(struct copy *copy, struct error *err)
{
    copy->to = db_open_file(copy->target, SQLITE_OPEN_READWRITE, err);
    return copy->to && db_execute(copy->to, "PRAGMA locking_mode = EXCLUSIVE", err) &&
           db_execute(copy->to, "PRAGMA journal_mode = OFF", err) &&
           db_execute(copy->to, "PRAGMA synchronous = OFF", err);
}

static bool cannot_copy(const struct copy *copy, int rc, struct error *err)
{
    if ((rc & 0xff) == SQLITE_FULL)
        return error_set(err, ERROR_STORAGE, NULL, "there is no room left for %.150s",
                         copy->target);
    return db_failed(err, rc, "copying");
}

static bool copy_pages(struct copy *copy, struct error *err)
{
    int rc = SQLITE_OK;

    copy->backup = sqlite3_backup_init(copy->to->handle, "main", copy->from->handle, "main");
    if (!copy->backup)
        return cannot_copy(copy, sqlite3_extended_errcode(copy->to->handle), err);
    while (rc == SQLITE_OK) {
        rc = sqlite3_backup_step(copy->backup, SLICE_PAGES);
        if (rc == SQLITE_OK &&
            !copy_goes_on(copy, copy->pages - sqlite3_backup_remaining(copy->backup)))
            return backup_was_stopped(err);
    }
    (void)sqlite3_backup_finish(take(&copy->backup));
    return rc == SQLITE_DONE || cannot_copy(copy, rc, err);
}

/* One file, whatever mode the source is in; then it is read as a restore will read it. */
static bool finish_copy(struct copy *copy, struct verify_facts *ret_facts, struct error *err)
{
    struct verify_watch watch = {0};
    struct error why = {0};
    bool ok;

    if (copy->watch)
        watch = (struct verify_watch){copy->watch->looks, copy->watch->user};
    if (!db_execute(copy->to, "PRAGMA journal_mode = DELETE", &why) && why.kind == ERROR_STORAGE)
        return cannot_copy(copy, SQLITE_FULL, err);
    if (why.kind != ERROR_NONE)
        return error_set(err, why.kind, NULL, "%s", why.message);
    sqlite3_progress_handler(copy->to->handle, LOOK_INSTRUCTIONS, look_while_checking, copy);
    ok = verify_database(copy->to, &watch, ret_facts, &why);
    sqlite3_progress_handler(copy->to->handle, 0, NULL, NULL);
    if (copy->stopped || (!ok && why.kind == ERROR_CONFLICT))
        return backup_was_stopped(err);
    return ok || error_set(err, why.kind, NULL, "%.40s is not whole: %.150s", copy->source,
                           why.message);
}

/* For a source that is open, or could not be opened. */
static bool copy_from(struct copy *copy, struct verify_facts *ret_facts, struct error *err)
{
    return copy->from && copy_hold_still(copy, err) && copy_has_room(copy, err) &&
           copy_open_target(copy, err) && copy_pages(copy, err) &&
           finish_copy(copy, ret_facts, err);
}

bool backup_copy(const char *source, const char *target, const struct backup_watch *watch,
                 struct verify_facts *ret_facts, struct error *err)
{
    AUTO(copy_end)
    struct copy copy = {
        .from = verify_open(source, err), .watch = watch, .source = source, .target = target};

    return copy_from(&copy, ret_facts, err);
}

bool backup_copy_back(const char *source, const char *target, const struct backup_watch *watch,
                      struct verify_facts *ret_facts, struct error *err)
{
    AUTO(copy_end)
    struct copy copy = {.from = verify_open_untouched(source, err),
                        .watch = watch,
                        .source = source,
                        .target = target};

    return copy_from(&copy, ret_facts, err);
}

static bool is_free(const char *target, struct error *err)
{
    return access(target, F_OK) != 0 ||
           error_set(err, ERROR_CONFLICT, NULL, "%.180s exists already and is not overwritten",
                     target);
}

/* A new empty file. */
static bool make_part(const char *part, struct error *err)
{
    int descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (descriptor >= 0)
        return close(descriptor) == 0 ||
               error_set(err, ERROR_INTERNAL, NULL, "cannot make %.180s", part);
    if (errno == EEXIST)
        return error_set(err, ERROR_CONFLICT, NULL,
                         "%.120s is in the way: another backup is making it, or one was killed; "
                         "if none is, remove it",
                         part);
    return error_set(err, errno == ENOSPC || errno == EDQUOT ? ERROR_STORAGE : ERROR_INTERNAL,
                     NULL, "cannot make %.180s: %s", part, strerror(errno));
}

bool backup_make(const char *source, const char *target, const struct backup_watch *watch,
                 struct verify_facts *ret_facts, struct error *err)
{
    struct verify_facts facts;
    char part[PATH_MAX];

    if (snprintf(part, sizeof part, "%s.part", target) >= (int)sizeof part)
        return error_set(err, ERROR_INVALID, NULL, "the name of the file is too long");
    if (!is_free(target, err) || !make_part(part, err))
        return false;
    if (!backup_copy(source, part, watch, &facts, err) || !disk_sync_file(part, err) ||
        !disk_rename_new(part, target, err)) {
        (void)!unlink(part);
        return false;
    }
    *ret_facts = facts;
    return disk_sync_folder(target, err);
}
