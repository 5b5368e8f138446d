/* Checks a whole database, and says what is wrong. */
#pragma once

#include "db/db.h"

struct verify_facts {
    long long bytes, runs, version;
};

/* Makes a check, which may take minutes, interruptible. looks() gets the connection before the
 * check, and NULL after it: between the two, and only then, db_interrupt() ends the check without
 * a result. */
struct verify_watch {
    void (*looks)(void *user, struct db *db);
    void *user;
};

/* True for an intact pennyworth database that this program can use. Takes about as long as
 * reading the file. `watch` may be NULL; ERROR_CONFLICT: interrupted. */
MUST_USE bool verify_database(struct db *db, const struct verify_watch *watch,
                              struct verify_facts *ret_facts, struct error *err);

/* For the file at `path`, before anybody writes to it: it does not exist yet, or is ours and
 * passes a quick check. The error names the file and a fix; the file is never changed. */
MUST_USE bool verify_before_use(const char *path, struct error *err);

/* Checks a database that is too large for verify_before_use(). False: it is damaged, or could not
 * be read. *ret_disturbed: interrupted before there was a result. */
MUST_USE bool verify_in_peace(struct db *db, const struct verify_watch *watch,
                              bool *ret_disturbed, struct error *err);

/* Opens an existing file read-only, without an upgrade. */
MUST_USE struct db *verify_open(const char *path, struct error *err);

/* The same for a file that no process uses: writes and locks nothing, neither it nor files next
 * to it. */
MUST_USE struct db *verify_open_untouched(const char *path, struct error *err);
