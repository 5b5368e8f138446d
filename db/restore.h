/* Replaces the database by a backup. Until the decision the old one stays in place; after it, the
 * next call finishes the restore, so a kill loses neither. The caller holds the database's
 * lock. */
#pragma once

#include "db/backup.h"

#define RESTORE_NAME_MAX 4096

struct restore_order {
    const char *backup, *database;
    bool replace; /* an existing database is set aside; otherwise it is ERROR_CONFLICT */
    long long now_us;
    const struct backup_watch *watch; /* or NULL; asked until the decision */
    void (*did)(const char *step);    /* called after each step; or NULL */
};

/* *ret_aside is the new name of the old database, "" if there was none. The backup is only
 * read. */
MUST_USE bool restore_make(const struct restore_order *order, struct verify_facts *ret_facts,
                           char ret_aside[RESTORE_NAME_MAX], struct error *err);

/* Whether a restore was decided but not finished: then the file at `database`, if any, must not
 * be used. */
bool restore_is_pending(const char *database);

/* The opposite, for a process that may not finish the restore: the error says which command
 * does. */
MUST_USE bool restore_is_settled(const char *database, struct error *err);

/* Finishes such a restore; does nothing if there is none. */
MUST_USE bool restore_finish(const char *database, struct error *err);
