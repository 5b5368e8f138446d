/* Every call that the database makes on its disk fails, each in its turn. */
#include "db/db_open.h"
#include "db/runs/voids.h"
#include "tests/db/imported.h"
#include "tests/faults/accidents.h"
#include "tests/faults/template.h"

/* What an operation did, as far as it said so. */
struct outcome {
    bool ok;
    struct run run; /* what it returned */
};

struct operation {
    const struct template *template;
    const char *name;
    bool (*run)(struct db *db, struct run *ret_run, struct error *err);
    void (*verify)(struct db *db, const struct outcome *outcome);
};

static bool create(struct db *db, struct run *ret_run, struct error *err)
{
    struct run_spec spec = labelled_spec();
    struct run_order order = order_of(&spec);
    bool replayed;

    order.idempotency_key = "the key of this run";
    return runs_create(db, &order, ret_run, &replayed, err);
}

static void verify_create(struct db *db, const struct outcome *outcome)
{
    long long count = rows_in(db, "runs");
    AUTO(run_clear) struct run again = {0};

    EXPECT(outcome->ok ? count == 4 : count == 3 || count == 4);
    if (outcome->ok) {
        AUTO(run_clear) struct run found = find_run(db, outcome->run.id.text);

        EXPECT_INT(found.state, RUN_QUEUED);
    }
    /* The key is for this: a client that got an error asks again, and gets one run. */
    EXPECT(create(db, &again, NULL));
    EXPECT(!outcome->ok || strcmp(again.id.text, outcome->run.id.text) == 0);
    EXPECT_ROWS(db, 4, "runs");
}

static bool claim(struct db *db, struct run *ret_run, struct error *err)
{
    bool found = false;

    return runs_claim(db, NOON_US, 0, ret_run, &found, err) && found;
}

static void verify_claim(struct db *db, const struct outcome *outcome)
{
    long long running = rows_in(db, "runs WHERE state = 'running'");

    EXPECT(outcome->ok ? running == 2 : running == 1 || running == 2);
    EXPECT_ROWS(db, 3 - running, "runs WHERE state = 'queued'");
    if (outcome->ok)
        EXPECT_INT(outcome->run.number, 2);
}

static bool end(struct db *db, struct run *ret_run, struct error *err)
{
    char details[] = "{\"isa\":\"avx2\"}", implementations[9000]; /* more than two pages */

    struct run run = {.number = 1,
                      .state = RUN_FINISHED,
                      .ended_us = NOON_US + 7,
                      .engine_details = details,
                      .samples = 64,
                      .implementations = implementations,
                      .ended_by = pace_verdict_name(PACE_ALL_STEPS),
                      .summary = {.measured_steps = 2,
                                  .measured_seconds = 0.5,
                                  .samples_per_second = 64,
                                  .median_step_seconds = 0.25}};

    (void)ret_run;
    memset(implementations, 'i', sizeof implementations);
    implementations[sizeof implementations - 1] = '\0';
    return runs_end(db, &run, err);
}

static void verify_end(struct db *db, const struct outcome *outcome)
{
    long long finished = rows_in(
        db, "runs WHERE number = 1 AND state = 'finished' AND ended_by"
            " NOT NULL AND measured_steps = 2 AND samples_per_second = 64 AND samples = 64");

    EXPECT(outcome->ok ? finished == 1 : finished == 0 || finished == 1);
    EXPECT_ROWS(db, finished,
                "run_implementations WHERE run = 1 AND length(implementations) = 8999");
    EXPECT_ROWS(db, 1 - finished,
                "runs WHERE number = 1 AND state = 'running' AND ended_by IS NULL AND"
                " measured_steps IS NULL");
}

static bool cancel(struct db *db, struct run *ret_run, struct error *err)
{
    char id[RUN_ID_LENGTH + 1];

    text_of(db, "SELECT id FROM runs WHERE number = 3", sizeof id, id);
    if (!id[0]) /* that query has met the fault */
        return error_set(err, ERROR_INTERNAL, NULL, "no such run to cancel");
    return runs_cancel(db, id, NOON_US, ret_run, err);
}

static void verify_cancel(struct db *db, const struct outcome *outcome)
{
    long long cancelled = rows_in(db, "runs WHERE state = 'cancelled'");

    EXPECT(outcome->ok ? cancelled == 1 : cancelled == 0 || cancelled == 1);
}

static const struct taken_back voided = {.at_us = NOON_US, .by = "ann", .reason = "a typo"};

static bool void_cancelled(struct db *db, struct run *ret_run, struct error *err)
{
    AUTO(run_clear) struct run cancelled = {0};
    bool changed;

    return cancel(db, &cancelled, err) &&
           voids_put(db, cancelled.id.text, &voided, ret_run, &changed, err);
}

static void verify_void(struct db *db, const struct outcome *outcome)
{
    long long voids = rows_in(db, "voids WHERE who = 'ann'");

    EXPECT(outcome->ok ? voids == 1 : voids == 0 || voids == 1);
    EXPECT(!outcome->ok || outcome->run.voided.at_us == NOON_US);
}

/* Two runs of one sender, which count. */
static void fill_with_sent_runs(struct db *db)
{
    struct imported_parts parts;
    enum import_fate fate;

    fill_with_runs(db);
    imported_make(&parts);
    snprintf(parts.run.sender, sizeof parts.run.sender, "c1");
    parts.run.spec.label_count = 2; /* as expect_whole() has it of all runs */
    parts.run.spec.labels[1] = (struct label){"commit", "f00"};
    for (char last = 'A'; last <= 'B'; last++) {
        parts.run.id.text[RUN_ID_LENGTH - 1] = last;
        EXPECT(import_alone(db, &parts.imported, &fate, NULL));
    }
}

static bool void_sender(struct db *db, struct run *ret_run, struct error *err)
{
    long long count = 0;
    bool ok = voids_put_sender(db, "c1", &voided, &count, err);

    (void)ret_run;
    EXPECT(!ok || count == 2);
    return ok;
}

static void verify_void_sender(struct db *db, const struct outcome *outcome)
{
    long long voids = rows_in(db, "voids WHERE contender IS NOT NULL");
    long long count = 0;

    EXPECT(outcome->ok ? voids == 2 : voids == 0 || voids == 2);
    EXPECT_ROWS(db, 2 - voids, "runs WHERE contender IS NOT NULL");
    /* The operator who got an error asks again: none is left, and none is voided twice. */
    EXPECT(voids_put_sender(db, "c1", &voided, &count, NULL));
    EXPECT_INT(count, 2 - voids);
    EXPECT_ROWS(db, 2, "voids");
}

static bool append(struct db *db, struct run *ret_run, struct error *err)
{
    struct step steps[300]; /* more than a page of them */

    (void)ret_run;
    for (size_t i = 0; i < COUNT(steps); i++)
        steps[i] = (struct step){.nanoseconds = (long long)i + 1, .loss = 0.5};
    return step_rows_append(db, 1, 2, steps, COUNT(steps), err);
}

static void verify_append(struct db *db, const struct outcome *outcome)
{
    long long steps = number_of(db, "SELECT steps FROM runs WHERE number = 1");

    EXPECT(outcome->ok ? steps == 302 : steps == 2 || steps == 302);
}

/* Two runs in one transaction, the second with a trace of many pages. */
static bool import(struct db *db, struct run *ret_run, struct error *err)
{
    AUTO(imports_end) struct imports imports = {0};
    AUTO(bytes_free) struct bytes text = {.limit = 0};
    struct imported_parts parts;
    enum import_fate fate;

    (void)ret_run;
    imported_make(&parts);
    parts.run.spec.label_count = 2;
    parts.run.spec.labels[1] = (struct label){"commit", "f00"};
    if (!imports_begin(&imports, db, err) || !imports_put(&imports, &parts.imported, &fate, err))
        return false;
    parts.run.id.text[RUN_ID_LENGTH - 1] = 'B';
    text = imported_lengthen(&parts, 1000);
    return imports_put(&imports, &parts.imported, &fate, err) && imports_commit(&imports, err);
}

static void verify_import(struct db *db, const struct outcome *outcome)
{
    long long stored = rows_in(db, "runs AS r"
                                   " JOIN traces AS t ON t.run = r.number"
                                   " JOIN run_implementations AS i ON i.run = r.number"
                                   " JOIN machines AS m ON m.number = machine"
                                   " JOIN contenders AS c ON c.number = contender");

    EXPECT(outcome->ok ? stored == 2 : stored == 0 || stored == 2);
    EXPECT_ROWS(db, 3 + stored, "runs");
    EXPECT_ROWS(db, stored / 2, "machines");
    EXPECT_ROWS(db, stored / 2, "contenders");
    /* A client that got an error sends the file again, and has each run once. */
    EXPECT(import(db, NULL, NULL));
    EXPECT_ROWS(db, 5, "runs");
}

static bool checkpoint(struct db *db, struct run *ret_run, struct error *err)
{
    return append(db, ret_run, err) && db_execute(db, "PRAGMA wal_checkpoint(TRUNCATE)", err);
}

static bool survive(const void *subject, struct fault_plan plan)
{
    const struct operation *operation = subject;
    const struct template *template = operation->template;
    struct outcome outcome = {0};
    struct error err = {0};

    template_restore(template);
    struct db *db = open_database(&template->folder);
    fault_arm(plan);
    outcome.ok = operation->run(db, &outcome.run, &err);
    long long failed = end_accident(db, &plan);
    EXPECT(outcome.ok || failed > 0);
    EXPECT(outcome.ok ? err.kind == ERROR_NONE : failed_by_the_disk(&err));
    AUTO(db_freep) struct db *reopened = open_database(&template->folder);
    expect_whole(reopened);
    operation->verify(reopened, &outcome);
    expect_usable(reopened);
    run_clear(&outcome.run);
    return failed == 0;
}

TEST(every_change_of_a_run_happens_whole_or_not_at_all)
{
    AUTO(template_free)
    struct template template = template_make(fill_with_runs);
    const struct operation operations[] = {
        {&template, "create", create, verify_create},
        {&template, "claim", claim, verify_claim},
        {&template, "end", end, verify_end},
        {&template, "cancel", cancel, verify_cancel},
        {&template, "append", append, verify_append},
        {&template, "checkpoint", checkpoint, verify_append},
        {&template, "import", import, verify_import},
        {&template, "void", void_cancelled, verify_void},
    };

    for (size_t i = 0; i < COUNT(operations); i++)
        survive_accidents(operations[i].name, survive, &operations[i]);
}

TEST(all_runs_of_a_sender_are_voided_or_none)
{
    AUTO(template_free)
    struct template template = template_make(fill_with_sent_runs);
    const struct operation operation = {&template, "void sender", void_sender,
                                        verify_void_sender};

    survive_accidents(operation.name, survive, &operation);
}

/* After an accident while it is opened, the next try must bring the new schema. */
static bool survive_opening(const void *subject, struct fault_plan plan)
{
    const struct template *template = subject;
    struct error err = {0};

    template_restore(template);
    fault_arm(plan);
    struct db *db = db_open_schema(template->folder.file, &made_up_schema, &err);
    EXPECT(db || failed_by_the_disk(&err));
    if (plan.for_good)
        db_free(take(&db));
    long long failed = fault_disarm();
    if (db) { /* although something may have failed: then it must have made up for it */
        EXPECT_INT(number_of(db, "PRAGMA user_version"), made_up_schema.version);
        expect_whole(db);
    }
    EXPECT(failed > 0 || err.kind == ERROR_NONE);
    db_free(db);

    expect_upgraded(template);
    return failed == 0;
}

TEST(a_database_that_could_not_be_opened_can_be_opened_later)
{
    AUTO(template_free) struct template nothing = template_of_nothing();
    AUTO(template_free) struct template today = template_make(fill_with_runs);

    survive_accidents("make a database", survive_opening, &nothing);
    survive_accidents("upgrade a database", survive_opening, &today);
}
