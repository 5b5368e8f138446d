/* One server for each database. What is locked is the file itself, by whatever name it was
 * opened: a symbolic link, a hard link or a lock file that somebody deleted lets no second server
 * in. A file FILE.lock is locked too, which holds the name while a restore replaces the file.
 *
 * SQLite loses the locks of a process on a file with the first descriptor of it that the process
 * closes. So a descriptor of a database that was opened here stays open for the life of the
 * process, and is used again; only that of a deleted file is closed. */
#pragma once

#include "common/error.h"

#include <stdbool.h>

struct db_lock;

/* Takes the database for this process alone until db_unlock() or the end of the process; the
 * kernel gives it back even after kill -9. NULL when another process has it, or this one by an
 * earlier call (ERROR_BUSY). A file that is not there yet, or that cannot be opened, is locked by
 * its name alone: db_lock_file() follows. */
MUST_USE struct db_lock *db_lock(const char *path, struct error *err);

/* Locks the file that now has this name, when it was made or replaced since db_lock(). */
MUST_USE bool db_lock_file(struct db_lock *lock, const char *path, struct error *err);

/* NULL is fine. */
void db_unlock(struct db_lock *lock);
void db_unlockp(struct db_lock **lock);

/* Whether a process has locked the database. Looks only for a moment; db_lock() waits that long.
 * For a process that has no connection to it. */
bool db_is_locked(const char *path);

/* Whether a process has locked it by this name. */
bool db_name_is_locked(const char *path);
