/* Tested by tests/db/standings/standings_test.c. */
#include "db/standings/standing_versions.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "common/text.h"
#include "db/runs/run_row.h"
#include "db/runs/traces.h"
#include "engine/machine/machine_facts.h"
#include "engine/protocol/details.h"
#include "pricing/machine/choice.h"

#include <assert.h>

#define OLDER_MAX 8 /* versions kept in addition to the standing's */

static int by_hertz(const void *left, const void *right)
{
    double l = ((const struct canary_reading *)left)->canary.hertz,
           r = ((const struct canary_reading *)right)->canary.hertz;

    return (l > r) - (l < r);
}

/* The same for an imported run: its canaries are in the text of its trace. */
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

/* The median of its canaries; 0 without any. Skips the other evidence, which is a hundred times
 * larger. */
static bool read_hertz(struct db *db, long long run, double *ret_hertz, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     "SELECT hertz FROM canaries WHERE run = ?1 ORDER BY hertz LIMIT 1"
                     " OFFSET (SELECT count(*) / 2 FROM canaries WHERE run = ?1)",
                     err);
    enum stmt_step step;

    stmt_integer(query, run);
    step = stmt_step(query, err);
    if (step == STMT_ROW)
        *ret_hertz = stmt_column_real(query, 0);
    return step == STMT_ROW || (step == STMT_DONE && read_told_hertz(db, run, ret_hertz, err));
}

/* What the engine says of itself and of its machine. */
static bool read_engine(const char *details_text, const char *facts_text, struct newest *newest,
                        struct error *err)
{
    struct engine_details details;
    struct machine_facts facts;

    if (!engine_details_from_text(details_text, &details, err))
        return false;
    machine_facts_read(facts_text, &facts);
    TEXT_COPY(newest->isa, details.isa);
    newest->threads = (double)details.threads;
    newest->multiply_adds = (double)details.multiply_adds;
    TEXT_COPY(newest->cpu_model, facts.cpu_model);
    TEXT_COPY(newest->machine_isa, facts.isa);
    return true;
}

static bool read_newest(struct db *db, long long run, struct newest *newest, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db,
        "SELECT r.id, r.software, r.engine_details, m.facts, " RUN_DOLLARS
        ", paid_kind, paid_feed, r.region,"
        " r.provenance = 'measured' AND r.instance IS NULL, r.vm, m.stratum"
        " FROM runs AS r LEFT JOIN machines AS m ON m.number = r.machine WHERE r.number = ?",
        err);

    stmt_integer(query, run);
    if (stmt_step(query, err) != STMT_ROW)
        return false;
    TEXT_COPY(newest->run, stmt_column_text(query, 0));
    TEXT_COPY(newest->software, stmt_column_text(query, 1));
    newest->paid_per_hour = stmt_column_real(query, 4);
    TEXT_COPY(newest->paid_kind, stmt_column_text(query, 5));
    TEXT_COPY(newest->paid_feed, stmt_column_text(query, 6));
    TEXT_COPY(newest->region, stmt_column_text(query, 7));
    if (stmt_column_integer(query, 8))
        price_name_of_machine(stmt_column_text(query, 9), stmt_column_text(query, 10),
                              newest->machine);
    return read_engine(text_or_null(stmt_column_text(query, 2)), stmt_column_text(query, 3),
                       newest, err);
}

void version_list_free(struct version_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        freep(&list->versions[i].sources);
    freep(&list->versions);
    *list = (struct version_list){0};
}

void version_list_add(struct version_list *list, long long number, const char *name)
{
    assert(list->count == 0 || list->versions[list->count - 1].number < number);
    list->versions = xgrow(list->versions, list->count, &list->room, sizeof *list->versions);
    list->versions[list->count] = (struct version_runs){.number = number};
    TEXT_COPY(list->versions[list->count++].name, name);
}

/* The newest version first; of versions that differ only by their plan, the one measured last. */
static int by_version(const void *left, const void *right)
{
    const struct version_runs *l = left, *r = right;
    int order = run_version_order(r->name, l->name);

    if (order != 0)
        return order;
    return (l->standing.newest_us < r->standing.newest_us) -
           (l->standing.newest_us > r->standing.newest_us);
}

/* A standing needs an interval; if no version has one, a valid run. */
static size_t version_list_choose(const struct version_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->versions[i].standing.interval.known)
            return i;
    for (size_t i = 0; i < list->count; i++)
        if (list->versions[i].standing.level != STANDING_NONE)
            return i;
    return 0;
}

static struct older_version *version_list_keep_older(const struct version_list *list,
                                                     size_t chosen, size_t *ret_count)
{
    struct older_version *older = list->count > 1 ? xcalloc(OLDER_MAX, sizeof *older) : NULL;
    size_t count = 0;

    for (size_t i = 0; i < list->count && count < OLDER_MAX; i++) {
        const struct version_runs *version = &list->versions[i];

        if (i == chosen || version->standing.level == STANDING_NONE)
            continue;
        TEXT_COPY(older[count].version, version->name);
        older[count++].standing = version->standing;
    }
    *ret_count = count;
    return older;
}

static bool take_version(struct db *db, const struct version_list *list, size_t chosen,
                         struct contender *contender, struct error *err)
{
    struct version_runs *version = &list->versions[chosen];
    struct newest newest = {0};

    if (version->newest_run > 0 && (!read_newest(db, version->newest_run, &newest, err) ||
                                    !read_hertz(db, version->newest_run, &newest.hertz, err)))
        return false;

    for (size_t i = 0; i < list->count; i++)
        if (i != chosen)
            version->standing.invalid += list->versions[i].standing.invalid;
    TEXT_COPY(contender->version, version->name);
    contender->standing = version->standing;
    contender->newest = newest;
    free(contender->older);
    contender->older = version_list_keep_older(list, chosen, &contender->older_count);
    free(contender->sources);
    contender->source_count = version->source_count;
    contender->sources = take(&version->sources);
    return true;
}

bool version_list_take(struct db *db, struct version_list *list, struct contender *contender,
                       struct error *err)
{
    qsort(list->versions, list->count, sizeof *list->versions, by_version);
    return take_version(db, list, version_list_choose(list), contender, err);
}
