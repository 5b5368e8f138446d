#include "db/checksum.h"

#include "db/runs/evidence_rows.h"
#include "db/runs/step_rows.h"
#include "db/runs/voids.h"
#include "tests/db/finished.h"
#include "tests/db/imported.h"

/* Run 1 has finished, with two steps and evidence. */
static struct db *open_with_a_run(const struct folder *folder)
{
    struct db *db = open_database(folder);
    struct run run = run_about_to_end(
        db, &(struct ended){.value = 100, .low = 99, .high = 101, .stratum = "stratum a"});
    struct step steps[] = {{.nanoseconds = 100, .loss = 0.5, .split = {1, 2, 3, 4, 0}},
                           {.nanoseconds = 101, .loss = 0.25}};
    struct observation seen = {.steps = 1, .taken_ns = 7};
    struct canary_reading reading = {1, {1e9, 2e9}};
    struct evidence evidence = {
        .observations = &seen, .observation_count = 1, .readings = &reading, .reading_count = 1};

    EXPECT(step_rows_append(db, run.number, 0, steps, COUNT(steps), NULL));
    EXPECT(evidence_rows_append(db, run.number, 0, 0, &evidence, NULL));
    run.summary_text = copy_of("{}");
    run.findings = copy_of("[]");
    run.implementations = copy_of("{\"a\":1}");
    EXPECT(runs_end(db, &run, NULL));
    run_clear(&run);
    return db;
}

TEST_IN_FOLDER(a_run_that_ends_has_one_that_holds)
{
    AUTO(db_freep) struct db *db = open_with_a_run(folder);
    long long count = 0;

    EXPECT_INT(checksum_of(db, 1), CHECKSUM_HOLDS);
    EXPECT_INT(number_of(db, "SELECT length(checksum) FROM runs"), 64);
    EXPECT(checksum_count(db, &count, NULL));
    EXPECT_INT(count, 1);
}

TEST(whatever_is_changed_is_seen)
{
    EACH_TEXT(change, "UPDATE steps SET nanoseconds = 102 WHERE position = 1",
              "UPDATE steps SET loss = 0.2500000000000001 WHERE position = 1",
              "UPDATE steps SET forward_ns = 1 WHERE position = 0",
              "UPDATE steps SET position = 2 WHERE position = 1",
              "DELETE FROM steps WHERE position = 1",
              "INSERT INTO steps (run, position, nanoseconds, loss) VALUES (1, 2, 5, 0.5)",
              "UPDATE observations SET steal_ticks = 1", "DELETE FROM observations",
              "UPDATE canaries SET hertz = 1e8",
              "UPDATE run_implementations SET implementations = '{}'",
              "INSERT INTO traces VALUES (1, '', '')",
              "UPDATE runs SET spec = json_set(spec, '$.seed', 9)",
              "UPDATE runs SET instance = 'm5.xlarge'", "UPDATE runs SET sender = 'somebody'",
              "UPDATE runs SET samples_per_second = 101", "UPDATE runs SET throughput_low = NULL",
              "UPDATE runs SET validity = 'warn'", "UPDATE runs SET findings = '[1]'",
              "UPDATE runs SET summary = NULL", "UPDATE runs SET ended_us = ended_us + 1",
              "UPDATE machines SET fingerprint = 'another'", "UPDATE runs SET checksum = 'x'") {
        AUTO(folder_remove) struct folder folder = folder_make();
        AUTO(db_freep) struct db *db = open_with_a_run(&folder);

        EXPECT(db_execute(db, change, NULL));
        EXPECT_INT(checksum_of(db, 1), CHECKSUM_DIFFERS);
    }
}

TEST_IN_FOLDER(what_may_change_later_is_not_covered)
{
    AUTO(db_freep) struct db *db = open_with_a_run(folder);

    execute(db, "UPDATE runs SET contender = NULL, price = '{}', paid_per_hour = 1,"
                " paid_currency = 'USD'");
    EXPECT_INT(checksum_of(db, 1), CHECKSUM_HOLDS);
}

TEST_WITH_DATABASE(an_imported_run_has_one_over_its_trace)
{
    static struct imported_parts parts;
    enum import_fate fate;

    imported_make(&parts);
    AUTO(imports_end) struct imports imports = {0};
    EXPECT(imports_begin(&imports, db, NULL));
    EXPECT(imports_put(&imports, &parts.imported, &fate, NULL));
    EXPECT(imports_commit(&imports, NULL));
    EXPECT_INT(checksum_of(db, 1), CHECKSUM_HOLDS);
    execute(db, "UPDATE traces SET evidence = replace(evidence, '14', '13')");
    EXPECT_INT(checksum_of(db, 1), CHECKSUM_DIFFERS);
}

TEST_IN_FOLDER(a_run_without_one_is_told_from_one_that_needs_none)
{
    AUTO(db_freep) struct db *db = open_with_a_run(folder);
    struct checksum_run run;
    char first[sizeof run.id];

    queue_runs(db, 1); /* it waits */
    EXPECT(checksum_next(db, 0, &run, NULL));
    EXPECT_INT(run.number, 1);
    memcpy(first, run.id, sizeof first);
    EXPECT(checksum_next(db, 1, &run, NULL));
    EXPECT_INT(run.number, 0);
    execute(db, "UPDATE runs SET state = 'cancelled' WHERE number = 2");
    EXPECT(checksum_next(db, 1, &run, NULL));
    EXPECT_INT(run.number, 0);
    execute(db, "UPDATE runs SET checksum = NULL");
    EXPECT_INT(checksum_of(db, 1), CHECKSUM_MISSING);
    EXPECT(checksum_put_missing(db, NULL));
    EXPECT_INT(checksum_of(db, 1), CHECKSUM_HOLDS);
    EXPECT_INT(number_of(db, "SELECT checksum IS NULL FROM runs WHERE number = 2"), 1);
    EXPECT(strlen(first) == 26);
}
