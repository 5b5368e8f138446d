#include "db/runs/token_keys.h"

#include "common/cleanup.h"
#include "db/stmt.h"

bool token_keys_find(struct db *db, const char *name, char ret_key[SIGNATURE_KEY_SIZE],
                     struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db, "SELECT key FROM token_keys WHERE name = ?", err);
    enum stmt_step step;

    stmt_text(query, name);
    step = stmt_step(query, err);
    if (step == STMT_FAILED)
        return false;
    snprintf(ret_key, SIGNATURE_KEY_SIZE, "%s",
             step == STMT_ROW ? stmt_column_text(query, 0) : "");
    return true;
}

bool token_keys_is_of_another(struct db *db, const char *name, const char *key, bool *ret_is,
                              struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db, "SELECT EXISTS (SELECT 1 FROM token_keys WHERE key = ? AND name <> ?)", err);

    stmt_text(query, key);
    stmt_text(query, name);
    return stmt_take_truth(query, ret_is, err);
}

static bool token_key_insert(struct db *db, const char *name, const char *key, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *insert =
        stmt_prepare(db, "INSERT OR IGNORE INTO token_keys (name, key) VALUES (?, ?)", err);

    stmt_text(insert, name);
    stmt_text(insert, key);
    return stmt_run(insert, err);
}

bool token_keys_bind(struct db *db, const char *name, const char *key,
                     char ret_key[SIGNATURE_KEY_SIZE], struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    /* Most uploads have a bound token: they write nothing. */
    if (!token_keys_find(db, name, ret_key, err))
        return false;
    if (ret_key[0])
        return true;
    return transaction_begin(&change, db, DB_DURABLE, err) &&
           token_key_insert(db, name, key, err) && token_keys_find(db, name, ret_key, err) &&
           transaction_commit(&change, err);
}

static bool token_key_remove(struct db *db, const char *name, struct error *err)
{
    return stmt_run_text(db, "DELETE FROM token_keys WHERE name = ?", name, err);
}

bool token_keys_forget(struct db *db, const char *name, char ret_key[SIGNATURE_KEY_SIZE],
                       struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    return transaction_begin(&change, db, DB_DURABLE, err) &&
           token_keys_find(db, name, ret_key, err) && token_key_remove(db, name, err) &&
           transaction_commit(&change, err);
}
