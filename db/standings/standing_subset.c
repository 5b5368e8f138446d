#include "db/standings/standing_subset.h"

#include "common/cleanup.h"
#include "common/limits.h"
#include "db/standings/standing_rows.h"
#include "db/standings/standing_versions.h"
#include "db/stmt.h"

#include <string.h>

/* Parameters 1 to 4 are the keys of labels, 5 to 8 their values; key "" is unused. 9 is the
 * sender, 10 is 1 if runs measured here count as the sender's, and 11 is the number of runs to
 * read. */
#define OTHER_LABEL(key, value)                                                                  \
    " AND (" key " = '' OR EXISTS (SELECT 1 FROM run_labels AS other WHERE other.key = " key     \
    " AND other.value = " value " AND other.run = first.run))"
#define OF_SENDER                                                                                \
    " AND (?9 IS NULL OR EXISTS (SELECT 1 FROM runs AS own WHERE own.number = first.run"         \
    " AND (own.sender = ?9 OR (?10 AND own.provenance = 'measured'))))"

/* The numbers of the newest runs, found by their first label in its index. */
#define RUNS_WITH_LABELS                                                                         \
    "SELECT first.run FROM run_labels AS first WHERE first.key = ?1 AND first.value = "          \
    "?5" OTHER_LABEL("?2", "?6") OTHER_LABEL("?3", "?7") OTHER_LABEL("?4", "?8") OF_SENDER       \
        " ORDER BY first.run DESC LIMIT ?11"
/* The same for a sender without labels, merged from two indices. */
#define RUNS_OF_SENDER                                                                           \
    "SELECT number FROM runs INDEXED BY runs_by_sender WHERE sender = ?9 UNION ALL"              \
    " SELECT number FROM runs INDEXED BY runs_by_provenance WHERE ?10 AND provenance = "         \
    "'measured' ORDER BY number DESC LIMIT ?11"

_Static_assert(RUN_FILTER_LABELS == 4, "the statement has a condition for each label");

/* The group under construction: one version of one contender at a time. */
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

static bool builder_end_version(struct builder *builder, struct error *err)
{
    struct version_list *list = &builder->list;

    return list->count == 0 ||
           history_sum_up(builder->db, &builder->history, &list->versions[list->count - 1], err);
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

    stmt_integer(query, number);
    if (stmt_step(query, err) != STMT_ROW)
        return false;
    contender_read_key(query, contender);
    return true;
}

static bool builder_end_contender(struct builder *builder, struct error *err)
{
    AUTO(contender_clear) struct contender contender = {0};

    if (builder->contender == 0)
        return true;
    if (!builder_end_version(builder, err) ||
        !read_key(builder->db, builder->contender, &contender, err) ||
        !version_list_take(builder->db, &builder->list, &contender, err))
        return false;
    version_list_free(&builder->list);
    standings_add(&builder->standings, &contender);
    return true;
}

/* Columns: contender, version, name of the version, sender, then the columns of
 * standing_result(). */
static bool builder_take_run(struct builder *builder, struct stmt *row, struct error *err)
{
    long long contender = stmt_column_integer(row, 0), version = stmt_column_integer(row, 1);
    struct run_result run_result;

    if (contender != builder->contender && !builder_end_contender(builder, err))
        return false;
    builder->contender = contender;
    if (builder->list.count == 0 ||
        builder->list.versions[builder->list.count - 1].number != version) {
        if (!builder_end_version(builder, err))
            return false;
        history_start(&builder->history);
        version_list_add(&builder->list, version, stmt_column_text(row, 2));
    }
    run_result = standing_result(row, 4);
    (void)history_add(&builder->history, stmt_column_text(row, 3), &run_result);
    return true;
}

static void subset_bind(struct stmt *query, const struct standing_subset *subset, long long limit)
{
    for (int i = 0; i < RUN_FILTER_LABELS; i++)
        stmt_text(query, i < subset->label_count ? subset->labels[i].key : "");
    for (int i = 0; i < RUN_FILTER_LABELS; i++)
        stmt_text(query, i < subset->label_count ? subset->labels[i].value : "");
    stmt_text(query, subset->sender);
    stmt_integer(query, subset->sender && strcmp(subset->sender, STANDING_SENDER_LOCAL) == 0);
    stmt_integer(query, limit);
}

/* An index finds the runs; each is then read by its number. */
#define RESULTS_OF(runs)                                                                         \
    "SELECT r.contender, r.version, v.name, r.sender, r.number, r.validity,"                     \
    " r.samples_per_second, r.throughput_low, r.throughput_high, r.vm, r.ended_us, r.provenance" \
    " FROM runs AS r CROSS JOIN versions AS v ON v.number = r.version WHERE r.number IN"         \
    " (" runs ") AND r.contender IS NOT NULL ORDER BY r.contender, r.version, r.number DESC"

static struct stmt *subset_ask(struct db *db, const struct standing_subset *subset,
                               struct error *err)
{
    const char *sql =
        subset->label_count > 0 ? RESULTS_OF(RUNS_WITH_LABELS) : RESULTS_OF(RUNS_OF_SENDER);
    struct stmt *query = stmt_prepare(db, sql, err);

    subset_bind(query, subset, STANDING_SUBSET_RUNS_MAX);
    return query;
}

/* Whether there is a run after the last one read. */
static bool find_cut(struct db *db, const struct standing_subset *subset, bool *ret_cut,
                     struct error *err)
{
    const char *sql = subset->label_count > 0 ? "SELECT count(*) FROM (" RUNS_WITH_LABELS ")"
                                              : "SELECT count(*) FROM (" RUNS_OF_SENDER ")";
    AUTO(stmt_done) struct stmt *query = stmt_prepare(db, sql, err);

    subset_bind(query, subset, STANDING_SUBSET_RUNS_MAX + 1);
    if (stmt_step(query, err) != STMT_ROW)
        return false;
    *ret_cut = stmt_column_integer(query, 0) > STANDING_SUBSET_RUNS_MAX;
    return true;
}

bool standings_of_subset(struct db *db, const struct standing_subset *subset,
                         struct standings *ret_standings, bool *ret_cut, struct error *err)
{
    AUTO(builder_clear) struct builder builder = {.db = db};
    AUTO(stmt_done) struct stmt *query = subset_ask(db, subset, err);
    enum stmt_step step;

    while ((step = stmt_step(query, err)) == STMT_ROW)
        if (!builder_take_run(&builder, query, err))
            return false;
    if (step == STMT_FAILED || !builder_end_contender(&builder, err) ||
        !find_cut(db, subset, ret_cut, err))
        return false;
    *ret_standings = builder.standings;
    builder.standings = (struct standings){0};
    return true;
}
