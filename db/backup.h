/* A copy of the whole database, as it is at one moment, while others go on writing to it; and the
 * way back. A backup is one file of its own, checked as a whole before it gets its name. */
#pragma once

#include "db/verify.h"

/* Called some hundred times during the work; false stops it (ERROR_CONFLICT). While the copy
 * is read again to check it, `done` is `total`, but most of that is only ended as verify.h says:
 * looks() is that of struct verify_watch, or NULL. NULL for all is fine. */
struct backup_watch {
    bool (*go_on)(void *user, long long done, long long total);
    void (*looks)(void *user, struct db *db);
    void *user;
};

/* Copies the database at `source` into `target`, an empty file that is the caller's to remove
 * when this fails. What it makes beside `target` meanwhile is gone afterwards. ERROR_STORAGE: no
 * room. */
MUST_USE bool backup_copy(const char *source, const char *target,
                          const struct backup_watch *watch, struct verify_facts *ret_facts,
                          struct error *err);

/* The same of a file that no process uses, a backup: it is not changed, and nothing is made
 * beside it. */
MUST_USE bool backup_copy_back(const char *source, const char *target,
                               const struct backup_watch *watch, struct verify_facts *ret_facts,
                               struct error *err);

/* The same as backup_copy() into a file that must not be there: it gets its name when it is whole
 * and on the disk, and is TARGET.part until then, which is removed when this fails. */
MUST_USE bool backup_make(const char *source, const char *target,
                          const struct backup_watch *watch, struct verify_facts *ret_facts,
                          struct error *err);
