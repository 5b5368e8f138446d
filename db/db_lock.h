/* One server per database. The lock is on the file itself, whatever its name: a symbolic link, a
 * hard link or a deleted lock file lets no second server in. FILE.lock is locked too; it holds
 * the name while a restore replaces the file.
 *
 * POSIX drops all locks of a process on a file when the process closes any descriptor of it. So a
 * descriptor of a database opened here stays open for the life of the process and is reused; only
 * the descriptor of a deleted file is closed. */
#pragma once

#include "common/error.h"

#include <stdbool.h>

struct db_lock;

/* Locks the database for this process until db_unlock() or the end of the process; the kernel
 * releases the lock even after kill -9. NULL if another process, or an earlier call of this one,
 * has it (ERROR_BUSY). A file that does not exist yet, or cannot be opened, is locked by its name
 * alone: db_lock_file() follows. */
MUST_USE struct db_lock *db_lock(const char *path, struct error *err);

/* Locks the file with this name, if it was made or replaced since db_lock(). */
MUST_USE bool db_lock_file(struct db_lock *lock, const char *path, struct error *err);

/* NULL is fine. */
void db_unlock(struct db_lock *lock);
void db_unlockp(struct db_lock **lock);

/* Whether a process has locked the database. Holds its own lock only for a moment; db_lock()
 * waits that long. For a process without a connection to the database. */
bool db_is_locked(const char *path);

/* Whether a process has locked this name. */
bool db_name_is_locked(const char *path);
