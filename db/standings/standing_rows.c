/* Tested by tests/db/standings/standings_test.c. */
#include "db/standings/standing_rows.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "db/standings/standing_versions.h"
#include "db/stmt.h"

/* The runs of one version of a contender. */
struct version_key {
    long long contender, version;
};

struct run_result standing_result(struct stmt *row, int first)
{
    struct run_result run_result = {
        .number = stmt_column_integer(row, first),
        .validity = validity_from_name(stmt_column_text(row, first + 1)),
        .value = stmt_column_real(row, first + 2),
        .low = stmt_column_real(row, first + 3),
        .high = stmt_column_real(row, first + 4),
        .at_us = stmt_column_integer(row, first + 6),
        .provenance = provenance_from_name(stmt_column_text(row, first + 7)),
    };

    TEXT_COPY(run_result.vm, stmt_column_text(row, first + 5));
    return run_result;
}

/* The runs of one sender, or runs without one (NULL). All columns are in the index
 * runs_by_contender, so the wide rows are not read. Reads until enough runs count, however many
 * bad ones are newer. */
static bool read_sender(struct db *db, const struct version_key *key, const char *sender,
                        struct history *history, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db,
        "SELECT number, validity, samples_per_second, throughput_low, throughput_high, vm,"
        " ended_us, provenance FROM runs WHERE contender = ? AND version = ? AND sender IS ?"
        " ORDER BY number DESC",
        err);
    enum stmt_step step = STMT_DONE;
    bool more = true;

    stmt_integer(query, key->contender);
    stmt_integer(query, key->version);
    stmt_text(query, sender);
    while (more && (step = stmt_step(query, err)) == STMT_ROW) {
        const struct run_result run_result = standing_result(query, 0);

        more = history_add(history, sender ? sender : "", &run_result);
    }
    return step != STMT_FAILED;
}

/* The next sender after a name, and the number of its first run: one index step, however many
 * runs it has. "" at the end. */
static bool next_sender(struct db *db, const struct version_key *key,
                        char sender[TOKEN_NAME_SIZE], long long *ret_first, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     "SELECT sender, number FROM runs WHERE contender = ?"
                     " AND version = ? AND sender > ? ORDER BY sender, number LIMIT 1",
                     err);
    char before[TOKEN_NAME_SIZE];
    enum stmt_step step;

    memcpy(before, sender, sizeof before);
    sender[0] = '\0';
    stmt_integer(query, key->contender);
    stmt_integer(query, key->version);
    stmt_text(query, before);
    step = stmt_step(query, err);
    if (step != STMT_ROW)
        return step == STMT_DONE;
    text_copy(sender, TOKEN_NAME_SIZE, stmt_column_text(query, 0));
    *ret_first = stmt_column_integer(query, 1);
    return true;
}

static bool read_history(struct db *db, const struct version_key *key, struct history *history,
                         struct error *err)
{
    char sender[TOKEN_NAME_SIZE] = "";
    long long first = 0;

    if (!read_sender(db, key, NULL, history, err))
        return false;
    for (;;) {
        if (!next_sender(db, key, sender, &first, err))
            return false;
        if (!sender[0])
            return true;
        if (!read_sender(db, key, sender, history, err))
            return false;
        history_came(history, sender, first);
    }
}

/* One index step per version, however many runs it has. */
static bool find_versions(struct db *db, long long contender, struct version_list *list,
                          struct error *err)
{
    for (long long last = 0;;) {
        AUTO(stmt_done)
        struct stmt *query = stmt_prepare(db,
                                          "SELECT number, name FROM versions WHERE number ="
                                          " (SELECT min(version) FROM runs WHERE contender = ?"
                                          " AND version > ?)",
                                          err);
        enum stmt_step step;

        stmt_integer(query, contender);
        stmt_integer(query, last);
        step = stmt_step(query, err);
        if (step != STMT_ROW)
            return step == STMT_DONE;
        last = stmt_column_integer(query, 0);
        version_list_add(list, last, stmt_column_text(query, 1));
    }
}

static bool version_sum_up(struct db *db, long long contender, struct version_runs *version,
                           struct error *err)
{
    AUTO(history_free) struct history history = {0};

    history_start(&history);
    return read_history(db, &(struct version_key){contender, version->number}, &history, err) &&
           history_sum_up(db, &history, version, err);
}

bool standing_rows_read(struct db *db, struct contender *contender, struct error *err)
{
    AUTO(version_list_free) struct version_list list = {0};

    if (!find_versions(db, contender->number, &list, err))
        return false;
    for (size_t i = 0; i < list.count; i++)
        if (!version_sum_up(db, contender->number, &list.versions[i], err))
            return false;
    if (list.count == 0) { /* its only runs were voided */
        contender->standing = (struct standing){.level = STANDING_NONE};
        contender->newest = (struct newest){0};
        contender->version[0] = '\0';
        contender->older_count = contender->source_count = 0;
        freep(&contender->older);
        freep(&contender->sources);
        return true;
    }
    return version_list_take(db, &list, contender, err);
}
