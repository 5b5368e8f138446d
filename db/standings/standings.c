#include "db/standings/standings.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "common/text.h"
#include "db/standings/standing_rows.h"
#include "db/stmt.h"

#include <assert.h>

void standings_free(struct standings *standings)
{
    for (size_t i = 0; i < standings->count; i++)
        contender_clear(&standings->list[i]);
    free(standings->list);
    *standings = (struct standings){0};
}

static bool read_figure(struct db *db, struct contender *contender, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db,
                                      "SELECT samples_per_second, unit, derived, source, note,"
                                      " measured_us FROM figures WHERE contender = ?",
                                      err);
    struct published published = {0};
    struct standing standing;
    enum stmt_step step;

    stmt_integer(query, contender->number);
    step = stmt_step(query, err);
    if (step == STMT_DONE) { /* it was removed */
        contender->standing = (struct standing){.level = STANDING_NONE};
        contender->published = published;
    }
    if (step != STMT_ROW)
        return step == STMT_DONE;
    standing = (struct standing){.level = STANDING_POINT,
                                 .value = stmt_column_real(query, 0),
                                 .first_us = stmt_column_integer(query, 5),
                                 .newest_us = stmt_column_integer(query, 5)};
    TEXT_COPY(published.unit, stmt_column_text(query, 1));
    published.derived = stmt_column_integer(query, 2) != 0;
    TEXT_COPY(published.source, stmt_column_text(query, 3));
    TEXT_COPY(published.note, stmt_column_text(query, 4));
    published.measured_us = stmt_column_integer(query, 5);
    contender->standing = standing;
    contender->published = published;
    return true;
}

static struct contender *standings_find(struct standings *standings, long long number)
{
    size_t low = 0, high = standings->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (standings->list[middle].number == number)
            return &standings->list[middle];
        if (standings->list[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* The list stays in order, for standings_find(). */
void standings_add(struct standings *standings, struct contender *contender)
{
    assert(standings->count == 0 ||
           standings->list[standings->count - 1].number < contender->number);
    standings->list =
        xgrow(standings->list, standings->count, &standings->room, sizeof *standings->list);
    standings->list[standings->count++] = *contender;
    *contender = (struct contender){0};
}

static bool standings_take_row(struct db *db, struct standings *standings, struct stmt *row,
                               struct error *err)
{
    AUTO(contender_clear) struct contender fresh = {0};
    struct contender *known = standings_find(standings, stmt_column_integer(row, 0));
    struct contender *contender = known ? known : &fresh;

    if (!known)
        contender_read_key(row, &fresh);
    if (!(contender->is_published ? read_figure(db, contender, err)
                                  : standing_rows_read(db, contender, err)))
        return false;
    if (!known)
        standings_add(standings, &fresh);
    return true;
}

static bool standings_take_rows(struct db *db, struct standings *standings, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     "SELECT number, workload, engine, configuration, provider, instance,"
                     " stratum, published FROM contenders WHERE changed > ? ORDER BY number",
                     err);
    enum stmt_step step;

    stmt_integer(query, standings->revision);
    while ((step = stmt_step(query, err)) == STMT_ROW)
        if (!standings_take_row(db, standings, query, err))
            return false;
    return step == STMT_DONE;
}

bool standings_update(struct db *db, struct standings *standings, struct error *err)
{
    long long revision; /* read first: later changes are seen by the next update */

    if (!revision_read(db, &revision, err))
        return false;
    if (revision == standings->revision)
        return true;
    if (!standings_take_rows(db, standings, err))
        return false;
    standings->revision = revision;
    return true;
}
