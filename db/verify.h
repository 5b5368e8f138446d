/* Reads a whole database, and says what is wrong with it. */
#pragma once

#include "db/db.h"

struct verify_facts {
    long long bytes, runs, version;
};

/* Who may end a look, which may take minutes. looks() gets the connection before it begins,
 * and NULL when it is over: between the two, and only then, db_interrupt() ends it, and nothing
 * is said of the database. */
struct verify_watch {
    void (*looks)(void *user, struct db *db);
    void *user;
};

/* True of a pennyworth's database that this program can use and that is whole. It takes about as
 * long as reading the file. `watch` may be NULL; ERROR_CONFLICT: it was ended. */
MUST_USE bool verify_database(struct db *db, const struct verify_watch *watch,
                              struct verify_facts *ret_facts, struct error *err);

/* For the file at `path`, before anybody writes to it: it is not there yet, or it is ours and, as
 * far as that is quickly seen, whole. The error names the file and says what can be done; not a
 * byte of it is changed. */
MUST_USE bool verify_before_use(const char *path, struct error *err);

/* Reads a database that was too large to be read by verify_before_use(). False: it is damaged, or
 * could not be read. *ret_disturbed: it was ended before anything could be said. */
MUST_USE bool verify_in_peace(struct db *db, const struct verify_watch *watch,
                              bool *ret_disturbed, struct error *err);

/* Opens what is there, to read. Nothing is made, nothing migrated. */
MUST_USE struct db *verify_open(const char *path, struct error *err);

/* The same of a file that no process uses: neither it nor anything beside it is written, or
 * locked.
 */
MUST_USE struct db *verify_open_untouched(const char *path, struct error *err);
