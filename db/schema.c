#include "db/schema.h"

#include "common/cleanup.h"
#include "db/checksum.h"
#include "db/connection.h"
#include "db/db.h"
#include "db/schema_steps.h"

/* "penn" in ASCII: what `file` and we tell our databases by. */
#define APPLICATION_ID 0x70656e6e
#define APPLICATION_ID_TEXT "1885695598"

const int schema_version = SCHEMA_FIRST + SCHEMA_LATER;

bool schema_check(struct db *db, struct error *err)
{
    long long application, version, tables;

    if (!stmt_number(db, "PRAGMA application_id", &application, err) ||
        !stmt_number(db, "PRAGMA user_version", &version, err) ||
        !stmt_number(db, "SELECT count(*) FROM sqlite_schema", &tables, err))
        return false;
    if (application != APPLICATION_ID && (application != 0 || tables > 0))
        return error_set(err, ERROR_INTERNAL, NULL,
                         "the database file belongs to another program, so it is left alone");
    if (version < 0 || version > schema_version)
        return error_set(err, ERROR_INTERNAL, NULL,
                         "the database has schema version %lld, this pennyworth knows up to %d: "
                         "use a newer one",
                         version, schema_version);
    return true;
}

static const char *step(long long version)
{
    return version < SCHEMA_FIRST ? schema_first[version] : schema_later[version - SCHEMA_FIRST];
}

static bool apply(struct db *db, long long from, int to, struct error *err)
{
    char statement[64];

    for (long long version = from; version < to; version++)
        if (!db_execute(db, step(version), err))
            return false;
    if (to >= SCHEMA_CHECKSUMS && !checksum_put_missing(db, err))
        return false;
    snprintf(statement, sizeof statement, "PRAGMA user_version = %d", to);
    return db_execute(db, "PRAGMA application_id = " APPLICATION_ID_TEXT, err) &&
           db_execute(db, statement, err);
}

bool schema_migrate_to(struct db *db, int to, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    long long version;

    if (!stmt_number(db, "PRAGMA user_version", &version, err))
        return false;
    if (version >= to)
        return true;
    if (!transaction_begin(&change, db, DB_DURABLE, err))
        return false;
    /* Asked again under the lock: two connections may have come here at once. */
    if (!stmt_number(db, "PRAGMA user_version", &version, err))
        return false;
    return apply(db, version, to, err) && transaction_commit(&change, err);
}
