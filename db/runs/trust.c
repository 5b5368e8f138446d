#include "db/runs/trust.h"

#include "common/cleanup.h"
#include "db/connection.h"
#include "db/stmt.h"

#include <string.h>

static bool trust_add(struct db *db, const char *name, size_t length, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *insert =
        stmt_prepare(db, "INSERT OR IGNORE INTO trusted_senders (name) VALUES (?)", err);
    char word[TRUST_NAMES_MAX + 1];

    snprintf(word, sizeof word, "%.*s", (int)length, name);
    stmt_text(insert, word);
    return stmt_run(insert, err);
}

bool trust_has(struct db *db, const char *sender, bool *ret_trusted, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db, "SELECT ?1 = '' OR ?1 IN (SELECT name FROM trusted_senders)", err);

    stmt_text(query, sender);
    return stmt_take_truth(query, ret_trusted, err);
}

/* The next name of a comma-separated list; advances the list, NULL at its end. */
static const char *next_name(const char **list, size_t *ret_length)
{
    const char *name = *list + strspn(*list, ",");

    *ret_length = strcspn(name, ",");
    *list = name + *ret_length;
    return *ret_length > 0 ? name : NULL;
}

static bool has_others(struct db *db, const char *names, bool *ret_others, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db,
                                      "SELECT EXISTS (SELECT 1 FROM trusted_senders WHERE"
                                      " instr(',' || ?1 || ',', ',' || name || ',') = 0)",
                                      err);

    stmt_text(query, names);
    return stmt_take_truth(query, ret_others, err);
}

/* Whether the list is stored already: then a start writes nothing, and needs no disk space. */
static bool is_kept(struct db *db, const char *names, bool *ret_kept, struct error *err)
{
    const char *list = names, *name;
    bool others = false, kept = true;
    size_t length;

    if (!has_others(db, names, &others, err))
        return false;
    while (kept && (name = next_name(&list, &length))) {
        char word[TRUST_NAMES_MAX + 1];

        snprintf(word, sizeof word, "%.*s", (int)length, name);
        if (!trust_has(db, word, &kept, err))
            return false;
    }
    *ret_kept = kept && !others;
    return true;
}

bool trust_set(struct db *db, const char *names, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    const char *name;
    bool kept = false;
    size_t length;

    if (!is_kept(db, names, &kept, err))
        return false;
    if (kept)
        return true;
    if (!transaction_begin(&change, db, DB_DURABLE, err) ||
        !db_execute(db, "DELETE FROM trusted_senders", err))
        return false;
    while ((name = next_name(&names, &length)))
        if (!trust_add(db, name, length, err))
            return false;
    return transaction_commit(&change, err);
}
