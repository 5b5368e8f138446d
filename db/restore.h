/* Makes a backup the database. Until it is decided the old one is in its place; from then on
 * the next call finishes what was begun, so a kill in between loses neither. The caller
 * holds the database's lock. */
#pragma once

#include "db/backup.h"

#define RESTORE_NAME_MAX 4096

struct restore_order {
    const char *backup, *database;
    bool replace; /* a database that is there is put aside; else that is ERROR_CONFLICT */
    long long now_us;
    const struct backup_watch *watch; /* or NULL; asked until it is decided */
    void (*did)(const char *step);    /* called after each step; or NULL */
};

/* *ret_aside is what the old database is called from now on, "" when there was none. The backup
 * is only read. */
MUST_USE bool restore_make(const struct restore_order *order, struct verify_facts *ret_facts,
                           char ret_aside[RESTORE_NAME_MAX], struct error *err);

/* Whether a restore was decided and not finished: then what lies at `database`, if anything does,
 * is not to be used. */
bool restore_is_pending(const char *database);

/* The contrary, for who uses the database and may not finish it: the error says who does. */
MUST_USE bool restore_is_settled(const char *database, struct error *err);

/* Finishes such a restore; harmless where there is none. */
MUST_USE bool restore_finish(const char *database, struct error *err);
