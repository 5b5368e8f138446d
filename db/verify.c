#include "db/verify.h"

#include "common/bytes.h"
#include "common/cleanup.h"
#include "db/connection.h"
#include "db/damage.h"
#include "db/db_open.h"
#include "db/stmt.h"

#include <ctype.h>
#include <errno.h>
#include <sys/stat.h>

/* Reading this much takes a tenth of a second; larger files are checked when the server is
 * idle. */
#define QUICK_BYTES (16 * 1024 * 1024)

/* Copies the first row of a PRAGMA to `ret_words`, unless it is "ok". */
static bool pragma_ask(struct db *db, const char *sql, char ret_words[200], struct error *err)
{
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, sql, err);

    if (stmt_step(query, err) != STMT_ROW)
        return false;
    snprintf(ret_words, 200, "%s", stmt_column_text(query, 0));
    if (strcmp(ret_words, "ok") == 0)
        ret_words[0] = '\0';
    return true;
}

static bool was_ended(struct error *err)
{
    return error_set(err, ERROR_CONFLICT, NULL, "it was stopped before all was read");
}

/* SQLite reports an interrupt as damage. */
static bool pragma_says_ok(struct db *db, const char *sql, struct error *err)
{
    char words[200];

    if (!pragma_ask(db, sql, words, err))
        return false;
    if (!words[0])
        return true;
    if (atomic_load(&db->interrupted))
        return was_ended(err);
    db_note_damage();
    return error_set(err, ERROR_INTERNAL, NULL, "%s", words);
}

/* A row that refers to a missing row in another table. */
static bool has_its_references(struct db *db, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db, "SELECT \"table\", parent FROM pragma_foreign_key_check()", err);
    enum stmt_step step;

    step = stmt_step(query, err);
    if (step == STMT_ROW)
        return error_set(err, ERROR_INTERNAL, NULL,
                         "a row of %.40s refers to a missing row of %.40s",
                         stmt_column_text(query, 0), stmt_column_text(query, 1));
    return step == STMT_DONE;
}

struct look {
    struct db *db;
    const struct verify_watch *watch;
    struct stmt *open;
};

/* SQLite forgets an interrupt when no statement is under way. So one is: otherwise an interrupt
 * just before the check would be lost. */
static bool look_begin(struct look *look, struct error *err)
{
    atomic_store(&look->db->interrupted, false);
    look->open = stmt_prepare(look->db, "SELECT 1", err);
    if (!look->open || stmt_step(look->open, err) != STMT_ROW)
        return false;
    if (look->watch && look->watch->looks)
        look->watch->looks(look->watch->user, look->db);
    return true;
}

static void look_end(struct look *look)
{
    if (look->watch && look->watch->looks)
        look->watch->looks(look->watch->user, NULL);
    stmt_done(&look->open);
}

static bool read_all(struct db *db, struct verify_facts *facts, struct error *err)
{
    return pragma_says_ok(db, "PRAGMA integrity_check", err) && has_its_references(db, err) &&
           stmt_number(db, "SELECT count(*) FROM runs", &facts->runs, err) &&
           db_size(db, &facts->bytes, err);
}

bool verify_database(struct db *db, const struct verify_watch *watch,
                     struct verify_facts *ret_facts, struct error *err)
{
    AUTO(look_end) struct look look = {.db = db, .watch = watch};
    struct verify_facts facts;
    struct error why = {0};

    if (!schema_check(db, &schema_today, err) ||
        !stmt_number(db, "PRAGMA user_version", &facts.version, err))
        return false;
    if (facts.version == 0)
        return error_set(err, ERROR_INTERNAL, NULL, "it is not a pennyworth database");
    if (!look_begin(&look, err))
        return false;
    if (!read_all(db, &facts, &why))
        return atomic_load(&db->interrupted) ? was_ended(err)
                                             : error_set(err, why.kind, NULL, "%s", why.message);
    *ret_facts = facts;
    return true;
}

/* With `tail` after the name. Letters, digits and what a path is mostly made of stay. */
static bool write_uri(struct bytes *uri, const char *path, const char *tail)
{
    bool ok = bytes_printf(uri, "file:");

    for (; ok && *path; path++)
        ok = isalnum((unsigned char)*path) || strchr("/._-", *path)
                 ? bytes_printf(uri, "%c", *path)
                 : bytes_printf(uri, "%%%02X", (unsigned char)*path);
    return ok && bytes_printf(uri, "%s", tail);
}

struct db *verify_open_untouched(const char *path, struct error *err)
{
    AUTO(bytes_free) struct bytes uri = {.limit = 32 * 1024};

    if (!write_uri(&uri, path, "?immutable=1")) {
        error_set(err, ERROR_INVALID, NULL, "the name of the file is too long");
        return NULL;
    }
    return db_open_file(uri.data, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
}

struct db *verify_open(const char *path, struct error *err)
{
    struct stat file;

    if (stat(path, &file) != 0) {
        error_set(err, ERROR_NOT_FOUND, NULL, "there is no database %.180s: %s", path,
                  strerror(errno));
        return NULL;
    }
    return db_open_file(path, SQLITE_OPEN_READWRITE, err);
}

static bool look_quickly(const char *path, struct error *err)
{
    AUTO(db_freep) struct db *db = verify_open(path, err);
    long long bytes;

    return db && schema_check(db, &schema_today, err) && db_size(db, &bytes, err) &&
           (bytes > QUICK_BYTES || pragma_says_ok(db, "PRAGMA quick_check", err));
}

/* Without the SQL statement, which does not help an operator who has to restore a backup. */
static bool is_damaged(const char *path, const char *why, struct error *err)
{
    const char *sql = strstr(why, " in: ");

    if (strncmp(why, "database: ", 10) == 0)
        why += 10;
    return error_set(
        err, ERROR_INTERNAL, NULL,
        "the database %.80s is damaged and was left as it is (%.*s): put a backup in "
        "its place with \"pennyworth restore FILE --replace on\", or move it away",
        path, sql && sql - why < 40 ? (int)(sql - why) : 40, why);
}

bool verify_before_use(const char *path, struct error *err)
{
    struct error why = {0};
    struct stat file;

    db_forget_damage();
    if ((stat(path, &file) != 0 && errno == ENOENT) || look_quickly(path, &why))
        return true;
    if (!db_is_damaged())
        return error_set(err, why.kind, NULL, "%s", why.message);
    return is_damaged(path, why.message, err);
}

bool verify_in_peace(struct db *db, const struct verify_watch *watch, bool *ret_disturbed,
                     struct error *err)
{
    AUTO(look_end) struct look look = {.db = db, .watch = watch};
    struct error why = {0};
    long long bytes;

    *ret_disturbed = false;
    if (!db_size(db, &bytes, err))
        return false;
    if (bytes <= QUICK_BYTES)
        return true;
    if (!look_begin(&look, err))
        return false;
    if (pragma_says_ok(db, "PRAGMA quick_check", &why))
        return true;
    *ret_disturbed = atomic_load(&db->interrupted);
    return *ret_disturbed || error_set(err, why.kind, NULL, "%s", why.message);
}
