#include "db/standings/gate_runs.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "common/text.h"
#include "db/runs/run_row.h"
#include "db/runs/trust.h"
#include "db/stmt.h"

#include <limits.h>

#define SELECT_RUNS                                                                              \
    "SELECT number, id, samples_per_second, throughput_low, throughput_high, " RUN_DOLLARS       \
    ", sender FROM runs WHERE contender = ?1 AND state = 'finished' AND validity IN ('ok', "     \
    "'warn')"                                                                                    \
    " AND samples_per_second > 0"

/* NULL is no sweep, and IN of NULL is neither true nor false. */
#define OF_NO_CHECK                                                                              \
    "(sweep IS NULL OR sweep NOT IN (SELECT sweeps.number FROM sweeps"                           \
    " WHERE idempotency_key GLOB '" GATE_SWEEP_KEY "*'))"

/* Parameter 2 is the number of the subject. */
#define SUBJECT_HAS_LABELS "EXISTS (SELECT 1 FROM run_labels WHERE run = ?2)"
#define LABELS_OF_SUBJECT                                                                        \
    "((SELECT count(*) FROM run_labels WHERE run = number) ="                                    \
    " (SELECT count(*) FROM run_labels WHERE run = ?2)"                                          \
    " AND NOT EXISTS (SELECT key, value FROM run_labels WHERE run = ?2"                          \
    " EXCEPT SELECT key, value FROM run_labels WHERE run = number))"

void gate_subject_clear(struct gate_subject *subject)
{
    free(subject->workload);
    free(subject->engine);
    free(subject->instance);
    free(subject->provider);
    free(subject->stratum);
    *subject = (struct gate_subject){0};
}

static void subject_from_row(struct stmt *query, struct gate_subject *subject)
{
    char **const texts[] = {&subject->workload, &subject->engine, &subject->instance,
                            &subject->provider, &subject->stratum};

    subject->contender = stmt_column_integer(query, 0);
    for (size_t i = 0; i < COUNT(texts); i++)
        *texts[i] = xstrdup(stmt_column_text(query, (int)i + 1));
    configuration_read(stmt_column_text(query, COUNT(texts) + 1), &subject->setup);
}

bool gate_subject_find(struct db *db, long long number, struct gate_subject *ret_subject,
                       struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     "SELECT c.number, c.workload, c.engine, c.instance, c.provider, c.stratum,"
                     " c.configuration"
                     " FROM runs JOIN contenders AS c ON c.number = contender"
                     " WHERE runs.number = ?",
                     err);
    enum stmt_step step;

    stmt_integer(query, number);
    step = stmt_step(query, err);
    if (step == STMT_DONE)
        return error_set(err, ERROR_CONFLICT, NULL, "the run has no number to compare");
    if (step != STMT_ROW)
        return false;
    *ret_subject = (struct gate_subject){.number = number};
    subject_from_row(query, ret_subject);
    return true;
}

static bool gate_runs_collect(struct stmt *query, struct gate_run ret_runs[GATE_RUNS_MAX],
                              size_t *ret_count, struct error *err)
{
    enum stmt_step step;
    size_t count = 0;

    while ((step = stmt_step(query, err)) == STMT_ROW && count < GATE_RUNS_MAX) {
        struct gate_run *run = &ret_runs[count++];

        *run = (struct gate_run){.number = stmt_column_integer(query, 0),
                                 .throughput = {.value = stmt_column_real(query, 2),
                                                .low = stmt_column_real(query, 3),
                                                .high = stmt_column_real(query, 4)},
                                 .dollars = stmt_column_real(query, 5)};
        TEXT_COPY(run->id.text, stmt_column_text(query, 1));
        TEXT_COPY(run->sender, stmt_column_text(query, 6));
    }
    *ret_count = count;
    return step != STMT_FAILED;
}

bool gate_runs_repeats(struct db *db, const struct gate_subject *subject, enum gate_whose whose,
                       struct gate_run ret_runs[GATE_RUNS_MAX], size_t *ret_count,
                       struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db,
                     SELECT_RUNS " AND ((number = ?2 AND ?4) OR (number <> ?2 AND " OF_NO_CHECK
                                 " AND " SUBJECT_HAS_LABELS " AND " LABELS_OF_SUBJECT
                                 " AND " RUN_IS_TRUSTED " = ?4))"
                                 " ORDER BY number DESC LIMIT ?3",
                     err);

    stmt_integer(query, subject->contender);
    stmt_integer(query, subject->number);
    stmt_integer(query, GATE_RUNS_MAX);
    stmt_integer(query, whose == GATE_TRUSTED);
    return gate_runs_collect(query, ret_runs, ret_count, err);
}

/* Why it failed, or the words of its first invalidating finding. */
static void lost_run_from_row(struct stmt *row, struct gate_lost_run *ret_run)
{
    const char *reason = stmt_column_text(row, 2);
    AUTO(freep)
    char *found = findings_words(text_or_null(stmt_column_text(row, 3)), VALIDITY_INVALID, 1);

    TEXT_COPY(ret_run->id.text, stmt_column_text(row, 0));
    TEXT_COPY(ret_run->how, stmt_column_text(row, 1));
    TEXT_COPY(ret_run->because, *reason ? reason : found);
    text_drop_cut_end(ret_run->because);
}

bool gate_runs_lost(struct db *db, const struct gate_subject *subject,
                    struct gate_lost_run ret_runs[GATE_LOST_MAX], size_t *ret_count,
                    struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db,
        "SELECT id, CASE state WHEN 'finished' THEN 'invalid' ELSE state END,"
        " reason, findings"
        " FROM runs WHERE number BETWEEN ?2 - ?1 AND ?2 + ?1 AND number <> ?2"
        " AND " SUBJECT_HAS_LABELS
        " AND (state IN ('failed', 'cancelled', 'interrupted', 'preempted')"
        "  OR (state = 'finished' AND validity = 'invalid'))"
        " AND spec = (SELECT spec FROM runs WHERE number = ?2)"
        " AND " OF_NO_CHECK " AND " RUN_IS_TRUSTED
        " AND NOT EXISTS (SELECT 1 FROM voids WHERE run = runs.number AND lifted_us IS NULL)"
        " ORDER BY number DESC LIMIT ?3",
        err);
    enum stmt_step step;
    size_t count = 0;

    stmt_integer(query, GATE_LOST_SPAN);
    stmt_integer(query, subject->number);
    stmt_integer(query, GATE_LOST_MAX);
    while ((step = stmt_step(query, err)) == STMT_ROW && count < GATE_LOST_MAX)
        lost_run_from_row(query, &ret_runs[count++]);
    *ret_count = count;
    return step != STMT_FAILED;
}

bool gate_runs_others(struct db *db, const struct gate_others *wanted,
                      struct gate_run ret_runs[GATE_RUNS_MAX], size_t *ret_count,
                      struct error *err)
{
    const struct gate_subject *subject = wanted->subject;
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db,
        SELECT_RUNS
        " AND " OF_NO_CHECK " AND " RUN_IS_TRUSTED
        " = ?7 AND number <> ?2 AND NOT (" SUBJECT_HAS_LABELS " AND " LABELS_OF_SUBJECT ")"
        " AND number < ?3 AND (?4 IS NULL OR"
        " EXISTS (SELECT 1 FROM run_labels WHERE key = ?4 AND value = ?5 AND run = number))"
        " ORDER BY number DESC LIMIT ?6",
        err);

    stmt_integer(query, subject->contender);
    stmt_integer(query, subject->number);
    stmt_integer(query, wanted->key ? LLONG_MAX : subject->number);
    stmt_text(query, wanted->key);
    stmt_text(query, wanted->value);
    stmt_integer(query, wanted->limit);
    stmt_integer(query, wanted->whose == GATE_TRUSTED);
    return gate_runs_collect(query, ret_runs, ret_count, err);
}

bool gate_sweep_find(struct db *db, const char *key, struct run_id *ret_id, bool *ret_found,
                     struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db, "SELECT id FROM sweeps WHERE idempotency_key = ?", err);
    enum stmt_step step;

    stmt_text(query, key);
    step = stmt_step(query, err);
    *ret_found = step == STMT_ROW;
    if (*ret_found)
        TEXT_COPY(ret_id->text, stmt_column_text(query, 0));
    return step != STMT_FAILED;
}
