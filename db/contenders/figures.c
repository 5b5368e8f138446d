#include "db/contenders/figures.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "common/text.h"
#include "db/contenders/contenders.h"
#include "db/stmt.h"

/* Two figures with the same key would be shown together, and no reader could say which is
 * right. */
static bool check_alone(struct db *db, const struct figure *figure, long long contender,
                        struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db, "SELECT id FROM figures WHERE contender = ? AND id <> ?", err);
    enum stmt_step step;

    stmt_integer(query, contender);
    stmt_text(query, figure->id);
    step = stmt_step(query, err);
    return step == STMT_DONE ||
           (step == STMT_ROW &&
            error_set(err, ERROR_CONFLICT, "id",
                      "'%s' is a figure of the same workload, engine, configuration and machine",
                      stmt_column_text(query, 0)));
}

/* The old contender of the id has changed, since it loses its figure. */
static bool figures_take_back(struct db *db, const char *id, struct error *err)
{
    return stmt_run_text(db,
                         "UPDATE contenders SET changed = (SELECT number FROM revision)"
                         " WHERE number = (SELECT contender FROM figures WHERE id = ?)",
                         id, err) &&
           stmt_run_text(db, "DELETE FROM figures WHERE id = ?", id, err);
}

static bool insert_one(struct db *db, const struct figure *figure, long long contender,
                       struct error *err)
{
    AUTO(stmt_done)
    struct stmt *insert =
        stmt_prepare(db,
                     "INSERT INTO figures (id, contender, samples_per_second, unit, derived,"
                     " source, note, measured_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                     err);

    stmt_text(insert, figure->id);
    stmt_integer(insert, contender);
    stmt_real(insert, figure->samples_per_second);
    stmt_text(insert, figure->unit);
    stmt_integer(insert, figure->derived);
    stmt_text(insert, figure->source);
    stmt_text(insert, figure->note);
    stmt_integer(insert, figure->measured_us);
    return stmt_run(insert, err);
}

bool figures_put(struct db *db, const struct figure *figure, struct error *err)
{
    const struct contender_key key = {.workload = figure->workload,
                                      .engine = figure->engine,
                                      .configuration = figure->configuration,
                                      .provider = figure->provider,
                                      .instance = figure->instance,
                                      .stratum = "",
                                      .published = true};
    long long contender;

    return revision_touch(db, err) && contenders_touch(db, &key, &contender, err) &&
           check_alone(db, figure, contender, err) && figures_take_back(db, figure->id, err) &&
           insert_one(db, figure, contender, err);
}

bool figures_forget(struct db *db, const char *id, struct error *err)
{
    return revision_touch(db, err) && figures_take_back(db, id, err);
}

static struct figure figure_from_row(struct stmt *row)
{
    struct figure figure = {.configuration = xstrdup(stmt_column_text(row, 5)),
                            .samples_per_second = stmt_column_real(row, 6),
                            .derived = stmt_column_integer(row, 8) != 0,
                            .measured_us = stmt_column_integer(row, 11)};

    TEXT_COPY(figure.id, stmt_column_text(row, 0));
    TEXT_COPY(figure.workload, stmt_column_text(row, 1));
    TEXT_COPY(figure.engine, stmt_column_text(row, 2));
    TEXT_COPY(figure.provider, stmt_column_text(row, 3));
    TEXT_COPY(figure.instance, stmt_column_text(row, 4));
    TEXT_COPY(figure.unit, stmt_column_text(row, 7));
    TEXT_COPY(figure.source, stmt_column_text(row, 9));
    TEXT_COPY(figure.note, stmt_column_text(row, 10));
    return figure;
}

#define COLUMNS                                                                                  \
    "SELECT f.id, c.workload, c.engine, c.provider, c.instance, c.configuration,"                \
    " f.samples_per_second, f.unit, f.derived, f.source, f.note, f.measured_us"                  \
    " FROM figures AS f JOIN contenders AS c ON c.number = f.contender"

static bool figures_find(struct db *db, const char *id, struct figure *ret_figure,
                         struct error *err)
{
    static const char sql[] = COLUMNS " WHERE f.id = ?";
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, sql, err);
    enum stmt_step step;

    stmt_text(query, id);
    step = stmt_step(query, err);
    if (step == STMT_DONE)
        return error_set(err, ERROR_NOT_FOUND, NULL, "there is no figure '%.63s'", id);
    if (step == STMT_ROW)
        *ret_figure = figure_from_row(query);
    return step == STMT_ROW;
}

bool figures_remove(struct db *db, const char *id, struct figure *ret_figure, struct error *err)
{
    AUTO(figure_clear) struct figure figure = {0};

    if (!figures_find(db, id, &figure, err) || !figures_forget(db, id, err))
        return false;
    *ret_figure = figure;
    figure.configuration = NULL;
    return true;
}

bool figures_each(struct db *db, void (*tell)(void *user, const struct figure *figure),
                  void *user, struct error *err)
{
    static const char sql[] = COLUMNS " ORDER BY f.number";
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, sql, err);
    enum stmt_step step;

    while ((step = stmt_step(query, err)) == STMT_ROW) {
        AUTO(figure_clear) struct figure figure = figure_from_row(query);

        tell(user, &figure);
    }
    return step == STMT_DONE;
}

bool figures_is_untouched(struct db *db, bool *ret_untouched, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db, "SELECT NOT EXISTS (SELECT 1 FROM figures) AND NOT EXISTS (SELECT 1 FROM runs)", err);

    return stmt_take_truth(query, ret_untouched, err);
}

void figure_clear(struct figure *figure)
{
    freep(&figure->configuration);
}
