#include "db/runs/signatures.h"

#include "common/cleanup.h"
#include "common/text.h"

bool signatures_put(struct db *db, long long run, const struct signed_text *kept,
                    struct error *err)
{
    AUTO(stmt_done)
    struct stmt *insert = stmt_prepare(db,
                                       "INSERT INTO signatures (run, key, value, document,"
                                       " steps_at, evidence_at) VALUES (?, ?, ?, ?, ?, ?)",
                                       err);

    stmt_integer(insert, run);
    stmt_text(insert, kept->signature.key);
    stmt_text(insert, kept->signature.value);
    stmt_text(insert, kept->text);
    stmt_integer(insert, kept->steps_at);
    stmt_integer(insert, kept->evidence_at);
    return stmt_run(insert, err);
}

bool signatures_from_row(struct stmt *row, int first, struct signed_text *ret_kept)
{
    if (stmt_column_is_null(row, first))
        return false;
    TEXT_COPY(ret_kept->signature.key, stmt_column_text(row, first));
    TEXT_COPY(ret_kept->signature.value, stmt_column_text(row, first + 1));
    ret_kept->text = stmt_column_text(row, first + 2);
    ret_kept->steps_at = stmt_column_integer(row, first + 3);
    ret_kept->evidence_at = stmt_column_integer(row, first + 4);
    return true;
}
