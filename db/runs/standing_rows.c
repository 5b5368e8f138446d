/* Tested by tests/db/runs/standings_test.c. */
#include "db/runs/standing_rows.h"

#include "common/cleanup.h"
#include "db/runs/run_row.h"
#include "db/runs/traces.h"
#include "db/stmt.h"

#define OLDER_MAX 8 /* versions that are kept beside the one that counts */

/* Of half a million runs when the server starts, which is too often for snprintf(). */
static void copy(char *to, size_t size, const char *from)
{
    size_t length = strnlen(from, size - 1);

    memcpy(to, from, length);
    to[length] = '\0';
}
#define COPY(member, from) copy((member), sizeof(member), (from))

static enum validity validity_from_name(const char *name)
{
    for (int level = VALIDITY_OK; level <= VALIDITY_INVALID; level++)
        if (strcmp(validity_name((enum validity)level), name) == 0)
            return (enum validity)level;
    return VALIDITY_UNKNOWN;
}

static struct run_result result_from_row(struct stmt *row)
{
    struct run_result run_result = {
        .validity = validity_from_name(stmt_column_text(row, 1)),
        .value = stmt_column_real(row, 2),
        .low = stmt_column_real(row, 3),
        .high = stmt_column_real(row, 4),
        .at_us = stmt_column_integer(row, 6),
        .provenance = strcmp(stmt_column_text(row, 7), provenance_names[PROVENANCE_IMPORTED]) == 0
                          ? PROVENANCE_IMPORTED
                          : PROVENANCE_MEASURED,
    };

    COPY(run_result.vm, stmt_column_text(row, 5));
    return run_result;
}

/* The newest runs of a version that count, and how many beside them do not. */
struct history {
    struct run_result *results; /* owned; room for STANDING_RUNS_MAX */
    size_t count;
    long long invalid;
    long long newest; /* number of the first of them, 0 where there is none */
};

static void history_free(struct history *history)
{
    freep(&history->results);
}

/* All columns are in the index runs_by_contender: the wide rows are not touched. Rows are looked
 * at until enough of them count, however many bad ones came after. */
static bool read_history(struct db *db, long long contender, long long version,
                         struct history *history, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db,
        "SELECT number, validity, samples_per_second, throughput_low, throughput_high, vm,"
        " ended_us, provenance FROM runs WHERE contender = ? AND version = ?"
        " ORDER BY number DESC",
        err);
    enum stmt_step step; /* one more than is needed: it fails where a text found no memory */

    if (!query)
        return false;
    stmt_integer(query, contender);
    stmt_integer(query, version);
    while ((step = stmt_step(query, err)) == STMT_ROW && history->count < STANDING_RUNS_MAX) {
        struct run_result run_result = result_from_row(query);

        if (run_result.validity != VALIDITY_OK && run_result.validity != VALIDITY_WARN) {
            history->invalid++;
            continue;
        }
        if (history->count == 0)
            history->newest = stmt_column_integer(query, 0);
        history->results[history->count++] = run_result;
    }
    return step != STMT_FAILED;
}

static int by_hertz(const void *left, const void *right)
{
    double l = ((const struct canary_reading *)left)->canary.hertz,
           r = ((const struct canary_reading *)right)->canary.hertz;

    return (l > r) - (l < r);
}

/* The same of a run that was measured elsewhere: its canaries are in the text of its trace. */
static bool read_told_hertz(struct db *db, long long run, double *ret_hertz, struct error *err)
{
    AUTO(evidence_free) struct evidence evidence = {0};

    if (!traces_evidence(db, run, &evidence, err))
        return false;
    if (evidence.reading_count > 0)
        qsort(evidence.readings, evidence.reading_count, sizeof *evidence.readings, by_hertz);
    *ret_hertz = evidence.reading_count > 0
                     ? evidence.readings[evidence.reading_count / 2].canary.hertz
                     : 0;
    return true;
}

/* The median of its canaries; 0 without any. What else was seen of a run is a hundred times as
 * much, and not looked at. */
static bool read_hertz(struct db *db, long long run, double *ret_hertz, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     "SELECT hertz FROM canaries WHERE run = ?1 ORDER BY hertz LIMIT 1"
                     " OFFSET (SELECT count(*) / 2 FROM canaries WHERE run = ?1)",
                     err);
    enum stmt_step step;

    if (!query)
        return false;
    stmt_integer(query, run);
    step = stmt_step(query, err);
    if (step == STMT_ROW)
        *ret_hertz = stmt_column_real(query, 0);
    return step == STMT_ROW || (step == STMT_DONE && read_told_hertz(db, run, ret_hertz, err));
}

static bool read_newest(struct db *db, long long run, struct newest *newest, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db,
        "SELECT r.id, r.software, json_extract(r.engine_details, '$.isa'),"
        " json_extract(m.facts, '$.cpu_model'), json_extract(m.facts, '$.isa'),"
        " json_extract(r.engine_details, '$.threads'),"
        " json_extract(r.engine_details, '$.multiply_adds'),"
        " " RUN_DOLLARS ", paid_kind, paid_feed"
        " FROM runs AS r LEFT JOIN machines AS m ON m.number = r.machine WHERE r.number = ?",
        err);

    if (!query)
        return false;
    stmt_integer(query, run);
    if (stmt_step(query, err) != STMT_ROW)
        return false;
    COPY(newest->run, stmt_column_text(query, 0));
    COPY(newest->software, stmt_column_text(query, 1));
    COPY(newest->isa, stmt_column_text(query, 2));
    COPY(newest->cpu_model, stmt_column_text(query, 3));
    COPY(newest->machine_isa, stmt_column_text(query, 4));
    newest->threads = stmt_column_real(query, 5);
    newest->multiply_adds = stmt_column_real(query, 6);
    newest->paid_per_hour = stmt_column_real(query, 7);
    COPY(newest->paid_kind, stmt_column_text(query, 8));
    COPY(newest->paid_feed, stmt_column_text(query, 9));
    return stmt_step(query, err) == STMT_DONE; /* not where a text found no memory */
}

/* What the runs of one version come to. */
struct version_runs {
    char name[RUN_VERSION_SIZE];
    long long number, newest_run; /* rows; the run is the newest that counts, 0 without one */
    struct standing standing;
};

struct version_list {
    struct version_runs *versions; /* owned */
    size_t count;
};

static void version_list_free(struct version_list *list)
{
    freep(&list->versions);
}

static bool add_version(struct version_list *list, long long number, const char *name,
                        struct error *err)
{
    struct version_runs *more =
        reallocarray(list->versions, list->count + 1, sizeof *list->versions);

    if (!more)
        return error_no_memory(err);
    list->versions = more;
    list->versions[list->count] = (struct version_runs){.number = number};
    COPY(list->versions[list->count++].name, name);
    return true;
}

/* One step in the index for each version, however many runs it has. */
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

        if (!query)
            return false;
        stmt_integer(query, contender);
        stmt_integer(query, last);
        step = stmt_step(query, err);
        if (step != STMT_ROW)
            return step == STMT_DONE;
        last = stmt_column_integer(query, 0);
        if (!add_version(list, last, stmt_column_text(query, 1), err))
            return false;
        if (stmt_step(query, err) != STMT_DONE) /* a text found no memory */
            return false;
    }
}

static bool sum_up(struct db *db, long long contender, struct version_runs *version,
                   struct error *err)
{
    AUTO(history_free)
    struct history history = {.results = calloc(STANDING_RUNS_MAX, sizeof *history.results)};

    if (!history.results)
        return error_no_memory(err);
    if (!read_history(db, contender, version->number, &history, err) ||
        !standing_compute(history.results, history.count, &version->standing, err))
        return false;
    version->standing.invalid += history.invalid;
    version->newest_run = history.newest;
    return true;
}

/* The newest version first; of versions that differ by their plan alone, the one that was
 * measured last. */
static int by_version(const void *left, const void *right)
{
    const struct version_runs *l = left, *r = right;
    int order = run_version_order(r->name, l->name);

    if (order != 0)
        return order;
    return (l->standing.newest_us < r->standing.newest_us) -
           (l->standing.newest_us > r->standing.newest_us);
}

/* Enough evidence is an interval; without any of those, a valid run. */
static size_t choose(const struct version_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->versions[i].standing.interval.known)
            return i;
    for (size_t i = 0; i < list->count; i++)
        if (list->versions[i].standing.level != STANDING_NONE)
            return i;
    return 0;
}

static bool keep_older(const struct version_list *list, size_t chosen,
                       struct older_version **ret_older, size_t *ret_count, struct error *err)
{
    size_t count = 0;

    *ret_older = list->count > 1 ? calloc(OLDER_MAX, sizeof **ret_older) : NULL;
    if (list->count > 1 && !*ret_older)
        return error_no_memory(err);
    for (size_t i = 0; i < list->count && count < OLDER_MAX; i++) {
        const struct version_runs *version = &list->versions[i];

        if (i == chosen || version->standing.level == STANDING_NONE)
            continue;
        COPY((*ret_older)[count].version, version->name);
        (*ret_older)[count++].standing = version->standing;
    }
    *ret_count = count;
    return true;
}

static bool take_version(struct db *db, const struct version_list *list, size_t chosen,
                         struct contender *contender, struct error *err)
{
    struct version_runs *version = &list->versions[chosen];
    AUTO(freep) struct older_version *older = NULL;
    struct newest newest = {0};
    size_t count = 0;

    if (version->newest_run > 0 && (!read_newest(db, version->newest_run, &newest, err) ||
                                    !read_hertz(db, version->newest_run, &newest.hertz, err)))
        return false;
    if (!keep_older(list, chosen, &older, &count, err))
        return false;
    for (size_t i = 0; i < list->count; i++)
        if (i != chosen)
            version->standing.invalid += list->versions[i].standing.invalid;
    COPY(contender->version, version->name);
    contender->standing = version->standing;
    contender->newest = newest;
    free(contender->older);
    contender->older = take(&older);
    contender->older_count = count;
    return true;
}

bool standing_rows_read(struct db *db, struct contender *contender, struct error *err)
{
    AUTO(version_list_free) struct version_list list = {0};

    if (!find_versions(db, contender->number, &list, err))
        return false;
    for (size_t i = 0; i < list.count; i++)
        if (!sum_up(db, contender->number, &list.versions[i], err))
            return false;
    if (list.count == 0) { /* its only runs were removed */
        contender->standing = (struct standing){.level = STANDING_NONE};
        return true;
    }
    qsort(list.versions, list.count, sizeof *list.versions, by_version);
    return take_version(db, &list, choose(&list), contender, err);
}
