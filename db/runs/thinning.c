#include "db/runs/thinning.h"

#include "common/cleanup.h"
#include "db/checksum.h"
#include "db/runs/evidence_rows.h"
#include "db/runs/step_rows.h"
#include "db/runs/traces.h"
#include "db/stmt.h"

#include <assert.h>

struct candidate {
    long long number, ended_us, steps, observations;
    bool in_text; /* its trace is a text; its observations are not counted */
};

static long long stride_of(long long count)
{
    long long middle = count - 2 * THINNING_EDGE;

    return middle <= THINNING_MIDDLE ? 1 : (middle + THINNING_MIDDLE - 1) / THINNING_MIDDLE;
}

bool thinning_keeps(long long position, long long count)
{
    return position < THINNING_EDGE || position >= count - THINNING_EDGE ||
           (position - THINNING_EDGE) % stride_of(count) == 0;
}

static bool load_candidates(struct db *db, const struct thinning *thinning,
                            struct candidate list[THINNING_RUNS], size_t *ret_count,
                            struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     "SELECT number, ended_us, steps,"
                     " (SELECT count(*) FROM observations WHERE run = number),"
                     " EXISTS (SELECT 1 FROM traces WHERE run = number)"
                     " FROM runs WHERE thinned_us IS NULL AND ended_us IS NOT NULL"
                     " AND (ended_us, number) > (?, ?) AND ended_us < ?"
                     " ORDER BY ended_us, number LIMIT ?",
                     err);
    enum stmt_step step;

    stmt_integer(query, thinning->ended_us);
    stmt_integer(query, thinning->number);
    stmt_integer(query, thinning->before_us);
    stmt_integer(query, THINNING_RUNS);
    *ret_count = 0;
    while ((step = stmt_step(query, err)) == STMT_ROW && *ret_count < THINNING_RUNS)
        list[(*ret_count)++] = (struct candidate){.number = stmt_column_integer(query, 0),
                                                  .ended_us = stmt_column_integer(query, 1),
                                                  .steps = stmt_column_integer(query, 2),
                                                  .observations = stmt_column_integer(query, 3),
                                                  .in_text = stmt_column_integer(query, 4) != 0};
    return step != STMT_FAILED;
}

static bool is_long(const struct candidate *run)
{
    return run->steps > THINNING_KEPT || run->observations > THINNING_KEPT;
}

/* The SQL of thinning_keeps(). */
static bool drop_rows(struct db *db, const char *sql, long long number, long long count,
                      struct error *err)
{
    AUTO(stmt_done) struct stmt *drop = NULL;

    if (count <= THINNING_KEPT)
        return true;
    drop = stmt_prepare(db, sql, err);
    stmt_integer(drop, number);
    stmt_integer(drop, THINNING_EDGE);
    stmt_integer(drop, count - THINNING_EDGE);
    stmt_integer(drop, THINNING_EDGE);
    stmt_integer(drop, stride_of(count));
    return stmt_run(drop, err);
}

static bool thin_rows(struct db *db, const struct candidate *run, struct error *err)
{
    return drop_rows(db,
                     "DELETE FROM steps WHERE run = ? AND position >= ? AND position < ?"
                     " AND (position - ?) % ? <> 0",
                     run->number, run->steps, err) &&
           drop_rows(db,
                     "DELETE FROM observations WHERE run = ? AND position >= ? AND position < ?"
                     " AND (position - ?) % ? <> 0",
                     run->number, run->observations, err);
}

static bool put_kept(struct db *db, long long number, const struct steps *steps,
                     const struct evidence *all, struct error *err)
{
    struct evidence readings = {.readings = all->readings, .reading_count = all->reading_count};
    long long step_count = (long long)steps->count, count = (long long)all->observation_count;

    for (long long i = 0; i < step_count; i++)
        if (thinning_keeps(i, step_count) &&
            !step_rows_put(db, number, i, &steps->items[i], 1, err))
            return false;
    for (long long i = 0; i < count; i++) {
        struct evidence one = {.observations = &all->observations[i], .observation_count = 1};

        if (thinning_keeps(i, count) && !evidence_rows_put(db, number, i, 0, &one, err))
            return false;
    }
    return evidence_rows_put(db, number, 0, 0, &readings, err);
}

/* The remaining steps of a text become rows, because rows have positions. */
static bool thin_text(struct db *db, const struct candidate *run, struct error *err)
{
    AUTO(evidence_free) struct evidence evidence = {0};
    AUTO(steps_free) struct steps steps = {0};

    return traces_steps(db, run->number, &steps, err) &&
           traces_evidence(db, run->number, &evidence, err) &&
           put_kept(db, run->number, &steps, &evidence, err) &&
           stmt_run_number(db, "DELETE FROM traces WHERE run = ?", run->number, err);
}

static bool run_mark_thinned(struct db *db, long long number, long long now_us, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *update =
        stmt_prepare(db, "UPDATE runs SET thinned_us = ? WHERE number = ?", err);

    stmt_integer(update, now_us);
    stmt_integer(update, number);
    return stmt_run(update, err);
}

/* Whether the run is unchanged since its end. A changed run is not thinned, or its new checksum
 * would hide the change. */
static bool is_unaltered(struct db *db, long long number, bool *ret_unaltered, struct error *err)
{
    enum checksum_state state;

    if (!checksum_look(db, number, &state, err))
        return false;
    *ret_unaltered = state == CHECKSUM_HOLDS;
    return true;
}

static bool run_thin(struct db *db, const struct candidate *run, long long now_us,
                     struct error *err)
{
    return (run->in_text ? thin_text(db, run, err) : thin_rows(db, run, err)) &&
           run_mark_thinned(db, run->number, now_us, err) && checksum_put(db, run->number, err);
}

static long long dropped_of(long long count)
{
    long long kept = 0;

    for (long long i = 0; i < count; i++)
        kept += thinning_keeps(i, count);
    assert(kept <= THINNING_KEPT);
    return count - kept;
}

static bool runs_thin_all(struct db *db, struct thinning *thinning, const struct candidate *list,
                          size_t count, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    struct thinning after = *thinning;

    if (!transaction_begin(&change, db, DB_DURABLE, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct candidate *run = &list[i];
        bool unaltered = false;

        if (is_long(run) && !is_unaltered(db, run->number, &unaltered, err))
            return false;
        if (!unaltered)
            continue;
        if (!run_thin(db, run, thinning->now_us, err))
            return false;
        after.runs++;
        after.steps += dropped_of(run->steps);
    }
    if (!transaction_commit(&change, err))
        return false;
    *thinning = after;
    return true;
}

bool thinning_step(struct db *db, struct thinning *thinning, struct error *err)
{
    struct candidate list[THINNING_RUNS];
    size_t count, longs = 0;

    if (!load_candidates(db, thinning, list, &count, err))
        return false;
    for (size_t i = 0; i < count; i++)
        longs += is_long(&list[i]);
    if (longs > 0 && !runs_thin_all(db, thinning, list, count, err))
        return false;
    thinning->done = count < THINNING_RUNS;
    thinning->looks += (long long)count;
    if (count > 0) {
        const struct candidate *last = &list[count - 1];

        assert(last->ended_us > thinning->ended_us ||
               (last->ended_us == thinning->ended_us && last->number > thinning->number));
        thinning->ended_us = last->ended_us;
        thinning->number = last->number;
    }
    return true;
}
