#include "db/runs/run_row.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "common/text.h"
#include "engine/run/pace.h"
#include "engine/spec/run_spec_text.h"

#include <stddef.h>

struct column {
    const char *sql;
    enum { NEVER, PAGE, WHOLE } read;
    unsigned writes; /* enum run_write, added up */
    enum {
        INTEGER,
        REAL,
        TEXT,  /* an array; "" is NULL */
        OWNED, /* a pointer; NULL and "" are NULL */
        SPEC,  /* the text of a spec */
        LOAD,  /* the text of a load */
        STATE,
        ENDED_BY,
        VALIDITY,
        PROVENANCE,
    } type;
    enum { ALWAYS, ABOVE_0, IN_SWEEP, FINISHED } written;
    size_t offset, size; /* of the member */
    size_t known;        /* where the bool is that says whether it is known; 0: there is none */
    bool in_row;         /* these are places in struct run_row, not in struct run */
};

#define RUN(member)                                                                              \
    .offset = offsetof(struct run, member), .size = sizeof((struct run *)NULL)->member
#define KNOWN(member, flag) RUN(member), .known = offsetof(struct run, flag)
#define ROW(member) .offset = offsetof(struct run_row, member), .in_row = true

#define ENTRY(writes, sql, read, type, written, ...)                                             \
    {sql, read, writes, type, written, __VA_ARGS__},
#define ENTRY_ALL(...) ENTRY(RUN_WRITE_QUEUED | RUN_WRITE_IMPORTED | RUN_WRITE_ENDED, __VA_ARGS__)
#define ENTRY_NEW(...) ENTRY(RUN_WRITE_QUEUED | RUN_WRITE_IMPORTED, __VA_ARGS__)
#define ENTRY_QUEUED(...) ENTRY(RUN_WRITE_QUEUED, __VA_ARGS__)
#define ENTRY_IMPORTED(...) ENTRY(RUN_WRITE_IMPORTED, __VA_ARGS__)
#define ENTRY_ENDED(...) ENTRY(RUN_WRITE_IMPORTED | RUN_WRITE_ENDED, __VA_ARGS__)
#define ENTRY_READ(...) ENTRY(0, __VA_ARGS__)

/* In the order of the lists in run_row.h. */
/* clang-format off */
static const struct column columns[] = {
    ENTRY_READ("number", PAGE, INTEGER, ALWAYS, RUN(number))
    ENTRY_ALL("state", PAGE, STATE, ALWAYS, RUN(state))
    RUN_NEW_TABLE(ENTRY_NEW)
    RUN_QUEUED_TABLE(ENTRY_QUEUED)
    RUN_IMPORTED_TABLE(ENTRY_IMPORTED)
    RUN_ENDED_TABLE(ENTRY_ENDED)
    RUN_READ_TABLE(ENTRY_READ)
};
/* clang-format on */

const char *run_row_column(size_t place)
{
    return place < COUNT(columns) ? columns[place].sql : NULL;
}

static bool is_written(const struct run_row *row, const struct column *column, const void *member)
{
    if (column->known && !*(const bool *)((const char *)row->run + column->known))
        return false;
    switch (column->written) {
    case ABOVE_0:
        return column->type == REAL ? *(const double *)member > 0
                                    : *(const long long *)member > 0;
    case IN_SWEEP:
        return row->sweep > 0;
    case FINISHED:
        return row->run->state == RUN_FINISHED;
    case ALWAYS:
        break;
    }
    return true;
}

/* The text of a column that is neither a number nor an array. */
static const char *word_of(const struct run *run, const struct column *column, const void *member)
{
    switch (column->type) {
    case STATE:
        return run_state_name(run->state);
    case ENDED_BY:
        return run->ended_by;
    case VALIDITY:
        return run->validity == VALIDITY_UNKNOWN ? NULL : validity_name(run->validity);
    case PROVENANCE:
        return provenance_names[run->provenance];
    default:
        return *(const char *const *)member;
    }
}

static void column_bind(struct stmt *stmt, const struct run_row *row, const struct column *column)
{
    const char *base = column->in_row ? (const char *)row : (const char *)row->run;
    const void *member = base + column->offset;

    if (!is_written(row, column, member))
        stmt_text(stmt, NULL);
    else if (column->type == INTEGER)
        stmt_integer(stmt, *(const long long *)member);
    else if (column->type == REAL)
        stmt_real(stmt, *(const double *)member);
    else if (column->type == TEXT)
        stmt_text(stmt, text_or_null(member));
    else
        stmt_text(stmt, text_or_null(word_of(row->run, column, member)));
}

void run_row_bind(struct stmt *stmt, const struct run_row *row, enum run_write write)
{
    for (size_t i = 0; i < COUNT(columns); i++)
        if (columns[i].writes & write)
            column_bind(stmt, row, &columns[i]);
}

static enum run_state run_state_from_name(const char *name)
{
    for (int state = 0; state < RUN_STATES; state++)
        if (strcmp(run_state_names[state], name) == 0)
            return (enum run_state)state;
    return RUN_FAILED; /* the CHECK on the column leaves no other */
}

static void column_read_text(const char *text, const struct column *column, struct run *run,
                             void *member)
{
    switch (column->type) {
    case STATE:
        run->state = run_state_from_name(text);
        break;
    case ENDED_BY:
        run->ended_by = pace_verdict_from_name(text);
        break;
    case VALIDITY:
        run->validity = validity_from_name(text);
        break;
    case PROVENANCE:
        run->provenance = provenance_from_name(text);
        break;
    case LOAD:
        (void)load_from_text(text, &run->load);
        break;
    case TEXT:
        text_copy(member, column->size, text);
        break;
    default:
        if (*text)
            *(char **)member = xstrdup(text);
    }
}

static bool spec_read(const char *text, struct run *run, struct error *err)
{
    struct error why = {0};

    return run_spec_from_stored(text, &run->spec, &why) ||
           error_set(err, ERROR_INTERNAL, NULL, "the stored spec of run %s cannot be read: %s",
                     run->id.text, why.message);
}

static void column_read(struct stmt *row, int place, const struct column *column, struct run *run)
{
    void *member = (char *)run + column->offset;

    if (column->known)
        *(bool *)((char *)run + column->known) = !stmt_column_is_null(row, place);
    if (column->type == INTEGER)
        *(long long *)member = stmt_column_integer(row, place);
    else if (column->type == REAL)
        *(double *)member = stmt_column_real(row, place);
    else
        column_read_text(stmt_column_text(row, place), column, run, member);
}

bool run_from_row(struct stmt *row, struct run *ret_run, struct error *err)
{
    bool is_read = true;
    int place = 0;

    run_empty(ret_run);
    for (size_t i = 0; i < COUNT(columns); i++)
        if (columns[i].type == SPEC)
            is_read = spec_read(stmt_column_text(row, place++), ret_run, err);
        else if (columns[i].read != NEVER)
            column_read(row, place++, &columns[i], ret_run);
    if (!is_read)
        run_clear(ret_run);
    return is_read;
}

bool run_insert_labels(struct db *db, long long number, const struct run_spec *spec,
                       struct error *err)
{
    AUTO(stmt_done) struct stmt *insert = NULL;

    if (spec->label_count == 0)
        return true;
    insert = stmt_prepare(db, "INSERT INTO run_labels (key, value, run) VALUES (?, ?, ?)", err);
    for (int i = 0; insert && i < spec->label_count; i++) {
        stmt_text(insert, spec->labels[i].key);
        stmt_text(insert, spec->labels[i].value);
        stmt_integer(insert, number);
        if (!stmt_run(insert, err))
            return false;
    }
    return insert != NULL;
}

bool run_insert_implementations(struct db *db, long long number, const char *implementations,
                                struct error *err)
{
    AUTO(stmt_done) struct stmt *insert = NULL;

    if (!implementations)
        return true;
    insert = stmt_prepare(
        db, "INSERT INTO run_implementations (run, implementations) VALUES (?, ?)", err);
    stmt_integer(insert, number);
    stmt_text(insert, implementations);
    return stmt_run(insert, err);
}
