#include "db/runs/imports.h"

#include "db/runs/evidence_rows.h"
#include "db/runs/step_rows.h"
#include "tests/db/database.h"
#include "tests/db/imported.h"

static void expect_fate(struct db *db, const struct imported *imported, enum import_fate wanted)
{
    enum import_fate fate;

    EXPECT_OK(import_alone(db, imported, &fate, &err));
    EXPECT_INT(fate, wanted);
}

/* A test that is given a run from elsewhere, and a database to bring it into. */
#define TEST_WITH_PARTS(name)                                                                    \
    static void name(struct db *db, struct imported_parts *parts);                               \
    TEST_FOUND(name, with_parts(name))                                                           \
    static void name(struct db *db, struct imported_parts *parts)

static void with_parts(void (*test)(struct db *db, struct imported_parts *parts))
{
    NEW_DATABASE(db);
    struct imported_parts parts;

    imported_make(&parts);
    test(db, &parts);
}

static void expect_refused(struct db *db, const struct imported *imported, const char *field)
{
    long long runs = rows_in(db, "runs");
    long long machines = rows_in(db, "machines");
    AUTO(imports_end) struct imports imports = {0};
    enum import_fate fate;

    EXPECT(imports_begin(&imports, db, NULL));
    EXPECT_FAILS(imports_put(&imports, imported, &fate, &err), (kind, ERROR_CONFLICT),
                 (field, field));
    EXPECT(imports_commit(&imports, NULL)); /* the others of its transaction are not touched */
    EXPECT_ROWS(db, runs, "runs");
    EXPECT_ROWS(db, machines, "machines");
}

/* Each member of the run itself is in run_row_test.c. */
TEST_WITH_PARTS(what_came_with_an_imported_run_is_read_like_what_was_measured_here)
{
    AUTO(evidence_free) struct evidence evidence = {0};
    AUTO(steps_free) struct steps steps = {0};
    AUTO(freep) char *implementations = NULL;

    expect_fate(db, &parts->imported, IMPORT_STORED);
    AUTO(run_clear) struct run run = find_run(db, IMPORTED_ID);
    EXPECT(step_rows_load(db, run.number, 0, run.steps, &steps, NULL));
    EXPECT_HAS(steps, (count, 4), (items[0].nanoseconds, 30), (items[3].loss, -2));
    EXPECT(evidence_rows_load(db, run.number, &evidence, NULL));
    EXPECT_HAS(evidence, (observation_count, 1), (observations[0].swap_ins, 14),
               (reading_count, 1), (readings[0].canary.hertz, 1e9));
    EXPECT(runs_implementations(db, IMPORTED_ID, &implementations, NULL));
    EXPECT_STR(implementations, "{\"a\":{}}");
    EXPECT_ROWS(db, 1, "run_labels WHERE key = 'branch'");
    EXPECT_ROWS(db, 1,
                "contenders AS c JOIN runs ON contender = c.number WHERE stratum ="
                " '00000000000000bb' AND c.provider = 'aws' AND c.instance = 'test.large'");
}

TEST_WITH_PARTS(a_part_of_an_imported_trace_is_loaded_alone)
{
    AUTO(steps_free) struct steps middle = {0}, behind = {0};

    expect_fate(db, &parts->imported, IMPORT_STORED);
    EXPECT(step_rows_load(db, 1, 1, 2, &middle, NULL));
    EXPECT_HAS(middle, (count, 2), (items[0].nanoseconds, 10));
    EXPECT(step_rows_load(db, 1, 4, 2, &behind, NULL));
    EXPECT_INT((long long)behind.count, 0);
}

TEST_WITH_PARTS(the_same_run_again_is_known_however_its_trace_is_spelled)
{
    static const char spelled[] =
        "{\"loss\":[5e-1,0.250,0.1,-2.0],\"nanoseconds\":[30,10,11,12]}";

    expect_fate(db, &parts->imported, IMPORT_STORED);
    expect_fate(db, &parts->imported, IMPORT_KNOWN);
    parts->imported.steps = imported_span(spelled);
    expect_fate(db, &parts->imported, IMPORT_KNOWN);
    EXPECT_ROWS(db, 1, "runs");
}

TEST_WITH_PARTS(a_run_that_was_measured_here_stays_what_it_is)
{
    const struct step steps[] = {{.nanoseconds = 30, .loss = 0.5},
                                 {.nanoseconds = 10, .loss = 0.25},
                                 {.nanoseconds = 11, .loss = 0.1},
                                 {.nanoseconds = 12, .loss = -2}};

    struct run_order order = order_of(&parts->run.spec);
    create_one(db, &order);
    execute(db, "UPDATE runs SET id = '" IMPORTED_ID "'");
    expect_refused(db, &parts->imported, "id"); /* it is queued */
    AUTO(run_clear) struct run claimed = claim_run(db);
    EXPECT(step_rows_append(db, claimed.number, 0, steps, COUNT(steps), NULL));
    parts->run.number = claimed.number;
    parts->run.machine[0] = '\0';
    EXPECT(runs_end(db, &parts->run, NULL));
    expect_refused(db, &parts->imported, "id"); /* no evidence was stored */
    parts->imported.evidence = imported_span("{\"observations\":[],\"canaries\":[]}");
    expect_fate(db, &parts->imported, IMPORT_KNOWN);
    EXPECT_ROWS(db, 1, "runs WHERE provenance = 'measured'");
    EXPECT_ROWS(db, 0, "traces");
}

static const char *const other_evidence[] = {
    "{\"observations\":[],\"canaries\":[[2,1000000000,2000]]}",
    "{\"observations\":[[1,5,6,7,8,9,10,11,12,13,14]],\"canaries\":[]}",
    "{\"observations\":[[1,5,6,7,8,9,10,11,12,13,14]],\"canaries\":[[2,1e9,2001]]}",
    "{\"observations\":[[1,5,6,7,8,9,10,11,12,13,15]],\"canaries\":[[2,1e9,2000]]}",
    "{\"observations\":[[1,5,6,7,8,9,10,11,12,13,14]],\"canaries\":[[2,1e9,2000],[2,1e9,2000]]}",
};

TEST_WITH_PARTS(an_id_has_one_spec_and_one_trace)
{
    struct imported_parts changed;

    expect_fate(db, &parts->imported, IMPORT_STORED);
    EACH_TEXT(other, "{\"nanoseconds\":[30,10,11,13],\"loss\":[0.5,0.25,0.1,-2]}",
              "{\"nanoseconds\":[30,10,11,12],\"loss\":[0.5,0.25,0.1,2]}",
              "{\"nanoseconds\":[30,10,11],\"loss\":[0.5,0.25,0.1]}",
              "{\"nanoseconds\":[30,10,11,12,1],\"loss\":[0.5,0.25,0.1,-2,1]}",
              "{\"nanoseconds\":[30,10,11,12],\"loss\":[0.5,0.25,0.1,-2],\"input\":[1,0,0,0],"
              "\"forward\":[0,0,0,0],\"backward\":[0,0,0,0],\"update\":[0,0,0,0],"
              "\"communication\":[0,0,0,0]}") {
        imported_make(&changed);
        changed.imported.steps = imported_span(other);
        expect_refused(db, &changed.imported, "id");
    }
    for (size_t i = 0; i < COUNT(other_evidence); i++) {
        imported_make(&changed);
        changed.imported.evidence = imported_span(other_evidence[i]);
        expect_refused(db, &changed.imported, "id");
    }
    imported_make(&changed);
    changed.run.spec.seed++;
    expect_refused(db, &changed.imported, "id");
}

TEST_WITH_PARTS(a_machine_is_stored_once_and_read_unchanged)
{
    AUTO(imports_end) struct imports imports = {0};
    enum import_fate fate;

    EXPECT(imports_begin(&imports, db, NULL));
    EXPECT(imports_put(&imports, &parts->imported, &fate, NULL));
    parts->run.id.text[25] = 'B';
    parts->imported.facts = "{\"cores\":2,\"isa\":\"avx2\"}";
    EXPECT(imports_put(&imports, &parts->imported, &fate, NULL));
    EXPECT(imports_commit(&imports, NULL));
    imports_end(&imports);
    EXPECT_ROWS(db, 1, "machines");
    EXPECT_INT(number_of(db, "SELECT count(DISTINCT machine) FROM runs"), 1);
    imported_make(parts);
    parts->run.id.text[25] = 'C';
    parts->imported.stratum = "00000000000000cc";
    expect_refused(db, &parts->imported, "machine");
}

/* Somebody made up one of both: the runs of neither are judged by the facts of the other. */
TEST_WITH_PARTS(other_facts_of_a_known_fingerprint_have_a_second_name)
{
    static const char facts[] = "{\"cores\":4,\"isa\":\"avx2\"}", second[] = "9b193e8eebcb6784";
    AUTO(machine_row_clear) struct machine_row first = {0};
    AUTO(machine_row_clear) struct machine_row other = {0};
    char id[] = IMPORTED_ID;

    expect_fate(db, &parts->imported, IMPORT_STORED);
    parts->imported.facts = facts;
    for (char last = 'B'; last <= 'D'; last++) { /* known from the second run on */
        parts->run.id.text[25] = id[25] = last;
        expect_fate(db, &parts->imported, IMPORT_STORED);
        AUTO(run_clear) struct run run = find_run(db, id);
        EXPECT_STR(run.machine, second);
        expect_fate(db, &parts->imported, IMPORT_KNOWN);
    }
    EXPECT_ROWS(db, 2, "machines");
    EXPECT(machines_find(db, parts->run.machine, &first, NULL));
    EXPECT(machines_find(db, second, &other, NULL));
    EXPECT_PART(first.facts, "\"cores\":2");
    EXPECT_STR(other.facts, facts);
    parts->run.id.text[25] = 'E'; /* as an export of this server has it */
    snprintf(parts->run.machine, sizeof parts->run.machine, "%s", second);
    expect_fate(db, &parts->imported, IMPORT_STORED);
    parts->run.id.text[25] = 'F';
    parts->imported.stratum = "00000000000000cc";
    expect_refused(db, &parts->imported, "machine");
}

TEST_WITH_PARTS(runs_of_one_configuration_are_one_contender)
{
    AUTO(imports_end) struct imports imports = {0};
    long long before, after;
    enum import_fate fate;

    EXPECT(revision_read(db, &before, NULL));
    EXPECT(imports_begin(&imports, db, NULL));
    for (char letter = 'A'; letter <= 'H'; letter++) {
        parts->run.id.text[25] = letter;
        parts->run.spec.seed = letter;
        parts->run.spec.batch_size = letter < 'E' ? 32 : 64;
        snprintf(parts->run.software, sizeof parts->run.software, "other %d",
                 letter < 'G' ? 1 : 2);
        EXPECT(imports_put(&imports, &parts->imported, &fate, NULL));
    }
    EXPECT(imports_commit(&imports, NULL));
    EXPECT(revision_read(db, &after, NULL));
    EXPECT_INT(after, before + 1);
    EXPECT_INT(number_of(db, "SELECT prices FROM revision"), before); /* they bring none */
    EXPECT_ROWS(db, 2, "contenders");
    EXPECT_ROWS(db, 4, "runs GROUP BY contender");
    EXPECT_ROWS(db, 2, "versions");
    EXPECT_ROWS(db, 8, "runs JOIN versions AS v ON v.number = version AND v.name = software");
    EXPECT_INT(number_of(db, "SELECT min(changed) FROM contenders"), after);
}

TEST_WITH_PARTS(more_configurations_than_the_cache_holds_stay_distinct)
{
    AUTO(imports_end) struct imports imports = {0};
    enum import_fate fate;

    EXPECT(imports_begin(&imports, db, NULL));
    for (int i = 0; i < 40; i++) {
        parts->run.id.text[24] = (char)('0' + i / 10);
        parts->run.id.text[25] = (char)('0' + i % 10);
        parts->run.spec.batch_size = 1 + i % 20;
        parts->run.machine[0] = (char)('0' + i % 10);
        EXPECT(imports_put(&imports, &parts->imported, &fate, NULL));
    }
    EXPECT(imports_commit(&imports, NULL));
    EXPECT_ROWS(db, 20, "contenders");
    EXPECT_ROWS(db, 10, "machines");
    EXPECT_INT(number_of(db, "SELECT max(n) FROM (SELECT count(*) AS n FROM runs GROUP BY"
                             " contender)"),
               2);
}

TEST_WITH_PARTS(an_uncommitted_transaction_leaves_nothing)
{
    {
        AUTO(imports_end) struct imports imports = {0};
        enum import_fate fate;

        EXPECT(imports_begin(&imports, db, NULL));
        EXPECT(imports_put(&imports, &parts->imported, &fate, NULL));
    }
    EXPECT_INT(number_of(db,
                         "SELECT (SELECT count(*) FROM runs) + (SELECT count(*) FROM machines)"
                         " + (SELECT count(*) FROM traces)"),
               0);
    expect_fate(db, &parts->imported, IMPORT_STORED);
}

TEST_WITH_PARTS(a_long_trace_becomes_rows)
{
    AUTO(steps_free) struct steps last = {0};
    const long long count = IMPORT_TRACE_STEPS + 1;

    AUTO(bytes_free) struct bytes text = imported_lengthen(parts, count);
    expect_fate(db, &parts->imported, IMPORT_STORED);
    EXPECT_ROWS(db, 0, "traces");
    EXPECT_ROWS(db, 1, "observations");
    EXPECT(step_rows_load(db, 1, count - 1, 10, &last, NULL));
    EXPECT_HAS(last, (count, 1), (items[0].nanoseconds, count));
    expect_fate(db, &parts->imported, IMPORT_KNOWN);
}

TEST_WITH_PARTS(a_run_that_was_voided_elsewhere_counts_nowhere_here)
{
    parts->run.voided = (struct taken_back){.at_us = 5, .by = "ann", .reason = "a busy machine"};
    expect_fate(db, &parts->imported, IMPORT_STORED);
    AUTO(run_clear) struct run run = find_run(db, IMPORTED_ID);
    EXPECT_HAS(run.voided, (at_us, 5), (by, "ann"), (reason, "a busy machine"));
    EXPECT_ROWS(db, 0, "runs WHERE contender NOT NULL");
    EXPECT_ROWS(db, 1, "voids WHERE contender NOT NULL");
}

/* Who may only import may not take back what counts here, nor count what was taken back. */
TEST_WITH_PARTS(the_void_of_a_known_run_changes_nothing)
{
    expect_fate(db, &parts->imported, IMPORT_STORED);
    parts->run.voided = (struct taken_back){.at_us = 5, .by = "ann", .reason = "a busy machine"};
    expect_fate(db, &parts->imported, IMPORT_KNOWN);
    AUTO(run_clear) struct run counted = find_run(db, IMPORTED_ID);
    EXPECT_INT(counted.voided.at_us, 0);
    parts->run.id.text[RUN_ID_LENGTH - 1] = 'Z';
    expect_fate(db, &parts->imported, IMPORT_STORED);
    parts->run.voided.at_us = 0;
    expect_fate(db, &parts->imported, IMPORT_KNOWN);
    AUTO(run_clear) struct run voided = find_run(db, parts->run.id.text);
    EXPECT_INT(voided.voided.at_us, 5);
}
