/* Copies the whole database at one moment while others write to it, and copies it back. A backup
 * is one file; it is checked before it gets its name. */
#pragma once

#include "db/verify.h"

/* Called some hundred times during the copy; false ends it (ERROR_CONFLICT). During the check
 * that follows, `done` equals `total`; looks() (NULL, or as in verify.h) then makes it
 * interruptible. The watch itself may be NULL. */
struct backup_watch {
    bool (*go_on)(void *user, long long done, long long total);
    void (*looks)(void *user, struct db *db);
    void *user;
};

/* Copies the database at `source` into `target`, an empty file; the caller removes it on failure.
 * Temporary files next to `target` are removed. ERROR_STORAGE: the disk is full. */
MUST_USE bool backup_copy(const char *source, const char *target,
                          const struct backup_watch *watch, struct verify_facts *ret_facts,
                          struct error *err);

/* The same for a source that no process uses, such as a backup: makes no change to it and no file
 * next to it. */
MUST_USE bool backup_copy_back(const char *source, const char *target,
                               const struct backup_watch *watch, struct verify_facts *ret_facts,
                               struct error *err);

/* Like backup_copy(), but into a new file, which must not exist. It is TARGET.part until it is
 * complete and on the disk; TARGET.part is removed on failure. */
MUST_USE bool backup_make(const char *source, const char *target,
                          const struct backup_watch *watch, struct verify_facts *ret_facts,
                          struct error *err);
