#include "db/standings/standing_labels.h"

#include "common/cleanup.h"
#include "common/limits.h"
#include "db/standings/standing_versions.h"
#include "db/stmt.h"

/* "" is the key of no label, and stands for one that is not asked for. */
#define OTHER_LABEL(key, value)                                                                  \
    " AND (" key " = '' OR EXISTS (SELECT 1 FROM run_labels AS other WHERE other.key = " key     \
    " AND other.value = " value " AND other.run = first.run))"

_Static_assert(RUN_FILTER_LABELS == 4, "the statement has a condition for each label");

/* What the rows are put together into: one version of one contender at a time. */
struct builder {
    struct db *db;
    struct standings standings;
    long long contender;      /* that the rows are of; 0 before the first */
    struct version_list list; /* its versions so far, the last one not summed up yet */
    struct history history;   /* of that version */
};

static void builder_clear(struct builder *builder)
{
    standings_free(&builder->standings);
    version_list_free(&builder->list);
    history_free(&builder->history);
}

static bool end_version(struct builder *builder, struct error *err)
{
    const struct version_list *list = &builder->list;

    return list->count == 0 ||
           history_sum_up(&builder->history, &list->versions[list->count - 1], err);
}

static bool read_key(struct db *db, long long number, struct contender *contender,
                     struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     "SELECT number, workload, engine, configuration, provider, instance,"
                     " stratum, published FROM contenders WHERE number = ?",
                     err);

    if (!query)
        return false;
    stmt_integer(query, number);
    return stmt_step(query, err) == STMT_ROW && contender_read_key(query, contender, err) &&
           stmt_step(query, err) == STMT_DONE; /* not where a text found no memory */
}

static bool end_contender(struct builder *builder, struct error *err)
{
    AUTO(contender_clear) struct contender contender = {0};

    if (builder->contender == 0)
        return true;
    if (!end_version(builder, err) ||
        !read_key(builder->db, builder->contender, &contender, err) ||
        !version_list_take(builder->db, &builder->list, &contender, err))
        return false;
    version_list_free(&builder->list);
    builder->list.count = 0;
    return standings_add(&builder->standings, &contender, err);
}

/* Columns: contender, version, name of the version, number, then those of standing_result(). */
static bool take_run(struct builder *builder, struct stmt *row, struct error *err)
{
    long long contender = stmt_column_integer(row, 0), version = stmt_column_integer(row, 1);
    struct run_result run_result;

    if (contender != builder->contender && !end_contender(builder, err))
        return false;
    builder->contender = contender;
    if (builder->list.count == 0 ||
        builder->list.versions[builder->list.count - 1].number != version) {
        if (!end_version(builder, err) || !history_start(&builder->history, err) ||
            !version_list_add(&builder->list, version, stmt_column_text(row, 2), err))
            return false;
    }
    run_result = standing_result(row, 4);
    history_add(&builder->history, stmt_column_integer(row, 3), &run_result);
    return true;
}

static void bind(struct stmt *query, const struct wanted_label labels[], int count,
                 long long limit)
{
    for (int i = 0; i < RUN_FILTER_LABELS; i++) {
        stmt_text(query, i < count ? labels[i].key : "");
        stmt_text(query, i < count ? labels[i].value : "");
    }
    stmt_integer(query, limit);
}

/* The labels are found in their index, and each of their runs by its number. */
static struct stmt *ask(struct db *db, const struct wanted_label labels[], int count,
                        struct error *err)
{
    struct stmt *query = stmt_prepare(
        db,
        "SELECT r.contender, r.version, v.name, r.number, r.validity, r.samples_per_second,"
        " r.throughput_low, r.throughput_high, r.vm, r.ended_us, r.provenance"
        " FROM runs AS r CROSS JOIN versions AS v ON v.number = r.version WHERE r.number IN"
        " (SELECT first.run FROM run_labels AS first WHERE first.key = ?1 AND first.value = "
        "?2" OTHER_LABEL("?3", "?4") OTHER_LABEL("?5", "?6") OTHER_LABEL(
            "?7", "?8") " ORDER BY first.run DESC LIMIT ?9) AND r.contender IS NOT NULL"
                        " ORDER BY r.contender, r.version, r.number DESC",
        err);

    if (query)
        bind(query, labels, count, STANDING_LABELS_RUNS_MAX);
    return query;
}

/* Whether there is a run behind the last one that is looked at. */
static bool find_cut(struct db *db, const struct wanted_label labels[], int count, bool *ret_cut,
                     struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db,
        "SELECT count(*) FROM (SELECT 1 FROM run_labels AS first WHERE first.key = ?1"
        " AND first.value = ?2" OTHER_LABEL("?3", "?4") OTHER_LABEL("?5", "?6")
            OTHER_LABEL("?7", "?8") " LIMIT ?9)",
        err);

    if (!query)
        return false;
    bind(query, labels, count, STANDING_LABELS_RUNS_MAX + 1);
    if (stmt_step(query, err) != STMT_ROW)
        return false;
    *ret_cut = stmt_column_integer(query, 0) > STANDING_LABELS_RUNS_MAX;
    return true;
}

bool standings_of_labels(struct db *db, const struct wanted_label labels[], int count,
                         struct standings *ret_standings, bool *ret_cut, struct error *err)
{
    AUTO(builder_clear) struct builder builder = {.db = db};
    AUTO(stmt_done) struct stmt *query = ask(db, labels, count, err);
    enum stmt_step step;

    if (!query)
        return false;
    while ((step = stmt_step(query, err)) == STMT_ROW)
        if (!take_run(&builder, query, err))
            return false;
    if (step == STMT_FAILED || !end_contender(&builder, err) ||
        !find_cut(db, labels, count, ret_cut, err))
        return false;
    *ret_standings = builder.standings;
    builder.standings = (struct standings){0};
    return true;
}
