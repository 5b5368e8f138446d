#include "db/runs/standings.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "db/runs/run_row.h"
#include "db/runs/traces.h"
#include "db/stmt.h"

#include <inttypes.h>

/* Of half a million runs when the server starts, which is too often for snprintf(). */
static void copy(char *to, size_t size, const char *from)
{
    size_t length = strnlen(from, size - 1);

    memcpy(to, from, length);
    to[length] = '\0';
}
#define COPY(member, from) copy((member), sizeof(member), (from))

static void contender_clear(struct contender *contender)
{
    freep(&contender->workload);
    freep(&contender->engine);
    freep(&contender->configuration);
    freep(&contender->provider);
    freep(&contender->instance);
    freep(&contender->stratum);
}

void standings_free(struct standings *standings)
{
    for (size_t i = 0; i < standings->count; i++)
        contender_clear(&standings->list[i]);
    free(standings->list);
    *standings = (struct standings){0};
}

/* A name for URLs that does not depend on the order in which contenders came. */
static void name(struct contender *contender)
{
    const char *const parts[] = {contender->workload,
                                 contender->engine,
                                 contender->configuration,
                                 contender->provider,
                                 contender->instance,
                                 contender->stratum,
                                 contender->is_published ? "published" : "measured"};
    uint64_t hash = 0;

    for (size_t i = 0; i < COUNT(parts); i++)
        hash = hash * 0x100000001b3 + text_hash(parts[i]);
    snprintf(contender->id, sizeof contender->id, "%016" PRIx64, hash);
}

static bool read_key(struct stmt *row, struct contender *contender, struct error *err)
{
    char **const texts[] = {&contender->workload, &contender->engine,   &contender->configuration,
                            &contender->provider, &contender->instance, &contender->stratum};

    contender->number = stmt_column_integer(row, 0);
    for (size_t i = 0; i < COUNT(texts); i++) {
        *texts[i] = strdup(stmt_column_text(row, (int)i + 1));
        if (!*texts[i])
            return error_no_memory(err);
    }
    contender->is_published = stmt_column_integer(row, 7) != 0;
    name(contender);
    return configuration_read(contender->configuration, &contender->setup, err);
}

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

/* The newest runs of a contender that count, and how many beside them do not. */
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
static bool read_history(struct db *db, long long contender, struct history *history,
                         struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db,
        "SELECT number, validity, samples_per_second, throughput_low, throughput_high, vm,"
        " ended_us, provenance FROM runs WHERE contender = ? ORDER BY number DESC",
        err);
    enum stmt_step step; /* one more than is needed: it fails where a text found no memory */

    if (!query)
        return false;
    stmt_integer(query, contender);
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

static bool read_runs(struct db *db, struct contender *contender, struct error *err)
{
    AUTO(history_free)
    struct history history = {.results = calloc(STANDING_RUNS_MAX, sizeof *history.results)};
    struct newest newest = {0};
    struct standing standing;

    if (!history.results)
        return error_no_memory(err);
    if (!read_history(db, contender->number, &history, err) ||
        !standing_compute(history.results, history.count, &standing, err))
        return false;
    standing.invalid += history.invalid;
    if (history.newest > 0 && (!read_newest(db, history.newest, &newest, err) ||
                               !read_hertz(db, history.newest, &newest.hertz, err)))
        return false;
    contender->standing = standing;
    contender->newest = newest;
    return true;
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

    if (!query)
        return false;
    stmt_integer(query, contender->number);
    step = stmt_step(query, err);
    if (step != STMT_ROW)
        return step == STMT_DONE;
    standing = (struct standing){.level = STANDING_POINT,
                                 .value = stmt_column_real(query, 0),
                                 .first_us = stmt_column_integer(query, 5),
                                 .newest_us = stmt_column_integer(query, 5)};
    COPY(published.unit, stmt_column_text(query, 1));
    published.derived = stmt_column_integer(query, 2) != 0;
    COPY(published.source, stmt_column_text(query, 3));
    COPY(published.note, stmt_column_text(query, 4));
    published.measured_us = stmt_column_integer(query, 5);
    if (stmt_step(query, err) != STMT_DONE) /* a text found no memory */
        return false;
    contender->standing = standing;
    contender->published = published;
    return true;
}

static struct contender *find(struct standings *standings, long long number)
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

/* New ones have larger numbers than all before them, so the list stays in order. */
static bool add(struct standings *standings, struct contender *contender, struct error *err)
{
    if (standings->count == standings->room) {
        size_t room = standings->room ? standings->room * 2 : 64;
        struct contender *more = reallocarray(standings->list, room, sizeof *more);

        if (!more)
            return error_no_memory(err);
        standings->list = more;
        standings->room = room;
    }
    standings->list[standings->count++] = *contender;
    *contender = (struct contender){0};
    return true;
}

static bool take_row(struct db *db, struct standings *standings, struct stmt *row,
                     struct error *err)
{
    AUTO(contender_clear) struct contender fresh = {0};
    struct contender *known = find(standings, stmt_column_integer(row, 0));
    struct contender *contender = known ? known : &fresh;

    if (!known && !read_key(row, &fresh, err))
        return false;
    if (!(contender->is_published ? read_figure(db, contender, err)
                                  : read_runs(db, contender, err)))
        return false;
    return known || add(standings, &fresh, err);
}

static bool take_rows(struct db *db, struct standings *standings, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     "SELECT number, workload, engine, configuration, provider, instance,"
                     " stratum, published FROM contenders WHERE changed > ? ORDER BY number",
                     err);
    enum stmt_step step;

    if (!query)
        return false;
    stmt_integer(query, standings->revision);
    while ((step = stmt_step(query, err)) == STMT_ROW)
        if (!take_row(db, standings, query, err))
            return false;
    return step == STMT_DONE;
}

bool standings_update(struct db *db, struct standings *standings, struct error *err)
{
    const size_t before = standings->count;
    long long revision; /* read first: what changes meanwhile is looked at again next time */

    if (!revision_read(db, &revision, err))
        return false;
    if (revision == standings->revision)
        return true;
    if (!take_rows(db, standings, err)) {
        /* A name that found no memory may be reported by the step after it, when it is listed. */
        while (standings->count > before)
            contender_clear(&standings->list[--standings->count]);
        return false;
    }
    standings->revision = revision;
    return true;
}
