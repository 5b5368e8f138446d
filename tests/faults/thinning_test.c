/* Each disk call of thinning fails in turn: a run has all its steps, or says that it was thinned.
 */
#include "db/checksum.h"
#include "db/runs/thinning.h"
#include "tests/db/imported.h"
#include "tests/faults/accidents.h"
#include "tests/faults/template.h"

#define STEPS 300

static struct template database;

static void put_long_run(struct db *db, struct imported_parts *parts)
{
    AUTO(bytes_free) struct bytes text = imported_lengthen(parts, STEPS);
    enum import_fate fate;

    EXPECT(import_alone(db, &parts->imported, &fate, NULL));
}

/* Run 1 in rows, run 2 in a text. */
static void fill(struct db *db)
{
    struct imported_parts parts;

    imported_make(&parts);
    put_long_run(db, &parts);
    execute(db, "INSERT INTO steps (run, position, nanoseconds, loss) SELECT 1, key,"
                " value, 1 FROM traces, json_each(traces.steps, '$.nanoseconds');"
                "DELETE FROM traces");
    EXPECT(checksum_put(db, 1, NULL));
    parts.run.id.text[RUN_ID_LENGTH - 1] = 'B';
    put_long_run(db, &parts);
}

static bool thin(struct db *db, struct error *err)
{
    struct thinning thinning = {.before_us = NOON_US, .now_us = NOON_US};
    bool ok = thinning_step(db, &thinning, err);

    EXPECT_INT(thinning.runs, ok ? 2 : 0);
    return ok;
}

static void expect_whole_or_thinned(struct db *db, bool ok)
{
    long long thinned = rows_in(db, "runs WHERE thinned_us NOT NULL");

    EXPECT(ok ? thinned == 2 : thinned == 0 || thinned == 2);
    EXPECT_ROWS(db, thinned == 2 ? 0 : 1, "traces");
    EXPECT_INT(rows_in(db, "steps WHERE run = 1") < STEPS, thinned == 2);
    EXPECT_INT(rows_in(db, "steps WHERE run = 2") > 0, thinned == 2);
    EXPECT_ROWS(db, 0, "pragma_foreign_key_check()");
}

static bool survive(const void *subject, struct fault_plan plan)
{
    struct error err = {0};

    (void)subject;
    template_restore(&database);
    struct db *db = open_database(&database.folder);
    fault_arm(plan);
    bool ok = thin(db, &err);
    if (plan.for_good)
        db_free(take(&db));
    long long failed = fault_disarm();
    EXPECT(ok || (failed > 0 && failed_by_the_disk(&err)));
    if (db)
        expect_usable(db);
    db_free(db);
    db = open_database(&database.folder);
    expect_whole_or_thinned(db, ok);
    db_free(db);
    return failed == 0;
}

TEST(a_disk_that_fails_leaves_a_run_whole_or_thinned)
{
    database = template_make(fill);
    survive_accidents("thinning", survive, NULL);
    template_free(&database);
}
