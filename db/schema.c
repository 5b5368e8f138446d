#include "db/schema.h"

#include "common/cleanup.h"
#include "db/checksum.h"
#include "db/connection.h"
#include "db/db.h"
#include "db/schema_first.h"
#include "db/stmt.h"

/* "penn" in ASCII: what `file` and we tell our databases by. */
#define APPLICATION_ID 0x70656e6e
#define APPLICATION_ID_TEXT "1885695598"

static const struct schema_step *const steps[] = {&schema_first};
const struct schema schema_today = {steps, COUNT(steps)};

bool schema_check(struct db *db, const struct schema *schema, struct error *err)
{
    long long application, version, tables;

    if (!stmt_number(db, "PRAGMA application_id", &application, err) ||
        !stmt_number(db, "PRAGMA user_version", &version, err) ||
        !stmt_number(db, "SELECT count(*) FROM sqlite_schema", &tables, err))
        return false;
    if (application != APPLICATION_ID && (application != 0 || tables > 0))
        return error_set(err, ERROR_INTERNAL, NULL,
                         "the database file belongs to another program, so it is left alone");
    if (version < 0 || version > schema->version)
        return error_set(err, ERROR_INTERNAL, NULL,
                         "the database has schema version %lld, this pennyworth knows up to %d: "
                         "use a newer one",
                         version, schema->version);
    return true;
}

static bool schema_take_step(struct db *db, const struct schema_step *step, struct error *err)
{
    for (const char *const *piece = step->sql; *piece; piece++)
        if (!db_execute(db, *piece, err))
            return false;
    return true;
}

static bool schema_apply(struct db *db, const struct schema *schema, long long version,
                         struct error *err)
{
    char statement[64];

    for (; version < schema->version; version++)
        if (!schema_take_step(db, schema->steps[version], err))
            return false;
    snprintf(statement, sizeof statement, "PRAGMA user_version = %d", schema->version);
    return checksum_put_missing(db, err) &&
           db_execute(db, "PRAGMA application_id = " APPLICATION_ID_TEXT, err) &&
           db_execute(db, statement, err);
}

bool schema_upgrade(struct db *db, const struct schema *schema, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    long long version;

    if (!stmt_number(db, "PRAGMA user_version", &version, err))
        return false;
    if (version >= schema->version)
        return true;
    if (!transaction_begin(&change, db, DB_DURABLE, err))
        return false;
    /* Checked again under the lock: two connections may have arrived here at once. */
    if (!stmt_number(db, "PRAGMA user_version", &version, err))
        return false;
    return schema_apply(db, schema, version, err) && transaction_commit(&change, err);
}
