/* Every allocation on the way from a document to a stored run and back fails, each in its turn:
 * nothing is half stored, no document is blamed, and the next request succeeds. */
#include "tests/faults/shortages.h"

#include "db/runs/evidence_rows.h"
#include "db/runs/exports.h"
#include "db/runs/step_rows.h"
#include "server/imports/import.h"
#include "tests/db/imported.h"
#include "tests/faults/fault_vfs.h"
#include "tests/faults/template.h"

static struct template database;
static struct imported_parts parts;

static void fill_with_imported(struct db *db)
{
    enum import_fate fate;

    fill_with_runs(db);
    parts.run.id.text[RUN_ID_LENGTH - 1] = 'Z';
    EXPECT(import_alone(db, &parts.imported, &fate, NULL));
    parts.run.id.text[RUN_ID_LENGTH - 1] = 'A';
}

static bool import(struct db *db, struct error *err)
{
    enum import_fate fate = IMPORT_KNOWN;

    return import_alone(db, &parts.imported, &fate, err);
}

#define HELD "SELECT count(*) FROM voids WHERE who = 'quarantine'"

/* A hundred times as fast as what the operator has. */
static bool import_held(struct db *db, struct error *err)
{
    struct imported_parts other = parts;
    enum import_fate fate = IMPORT_KNOWN;

    other.imported.run = &other.run;
    other.run.summary.samples_per_second *= 100;
    snprintf(other.run.sender, sizeof other.run.sender, "mallory");
    return import_alone(db, &other.imported, &fate, err);
}

/* Of a machine whose fingerprint other facts have already. */
static bool import_colliding(struct db *db, struct error *err)
{
    struct imported_parts other = parts;
    enum import_fate fate = IMPORT_KNOWN;

    other.imported.run = &other.run;
    other.imported.facts = "{\"isa\":\"avx2\"}";
    return import_alone(db, &other.imported, &fate, err);
}

/* Compared number by number, for its text is another. */
static bool import_known(struct db *db, struct error *err)
{
    static const char text[] = "{\"loss\":[5e-1,0.25,0.1,-2],\"nanoseconds\":[30,10,11,12]}";
    struct imported_parts same = parts;
    enum import_fate fate = IMPORT_STORED;

    same.run.id.text[RUN_ID_LENGTH - 1] = 'Z';
    same.imported.run = &same.run;
    same.imported.steps = imported_span(text);
    bool ok = import_alone(db, &same.imported, &fate, err);
    EXPECT(!ok || fate == IMPORT_KNOWN);
    return ok;
}

static bool load(struct db *db, struct error *err)
{
    AUTO(evidence_free) struct evidence evidence = {0};
    AUTO(steps_free) struct steps steps = {0};
    bool ok =
        step_rows_load(db, 4, 1, 2, &steps, err) && evidence_rows_load(db, 4, &evidence, err);

    EXPECT(!ok || (steps.count == 2 && steps.items[1].nanoseconds == 11));
    EXPECT(!ok || (evidence.observation_count == 1 && evidence.reading_count == 1));
    return ok;
}

static bool check_parts(void *user, const struct document_parts *exported)
{
    ++*(int *)user;
    EXPECT_STR(exported->steps, IMPORTED_STEPS);
    EXPECT_STR(exported->run->implementations, "{\"a\":{}}");
    return true;
}

static bool export(struct db *db, struct error *err)
{
    struct run_filter filter = {.workload = parts.spec.workload, .limit = -1, .label_count = 1};
    long long last = 0;
    int count = 0;

    filter.labels[0] = (struct wanted_label){"branch", "main"};
    bool ok = exports_each(db, &filter, &(struct export_reader){check_parts, &count}, &last, err);
    EXPECT(!ok || (count == 1 && last == 4));
    return ok;
}

static bool (*operation)(struct db *db, struct error *err);

static bool adds(void)
{
    return operation == import || operation == import_held || operation == import_colliding;
}

static bool operate(struct error *err)
{
    template_restore(&database);
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    struct error later = {0};

    ration_start();
    bool ok = operation(db, err);
    ration_stop();
    expect_usable(db);
    expect_whole(db);
    EXPECT(ok || adds() || number_of(db, "SELECT count(*) FROM runs") == 4);
    EXPECT(!ok || number_of(db, HELD) == (operation == import_held));
    EXPECT(operation(db, &later));
    EXPECT_STR(later.message, "");
    EXPECT_INT(number_of(db, HELD), operation == import_held);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM runs"), adds() ? 5 : 4);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM machines"),
               operation == import_colliding ? 2 : 1);
    expect_whole(db);
    return ok;
}

static void the_database_survives_every_shortage(void)
{
    static const struct {
        const char *name;
        bool (*operation)(struct db *db, struct error *err);
    } operations[] = {{"import", import},
                      {"import held", import_held},
                      {"import colliding", import_colliding},
                      {"import known", import_known},
                      {"load trace", load},
                      {"export", export}};

    database = template_make(schema_version, fill_with_imported);
    for (size_t i = 0; i < COUNT(operations); i++) {
        operation = operations[i].operation;
        survive_shortages(operations[i].name, operate, 3);
    }
    template_free(&database);
}

/* Two that are well, between them one that is not. As in allocation_test.c, texts that are parsed
 * have no token over 15 bytes. */
#define DOCUMENT(number, steps)                                                                  \
    "{\"pennyworth_run\":1,\"id\":\"01HF7YAT000000000000000" number                              \
    "\",\"spec\":{\"workload\":\"mlp\","                                                         \
    "\"engine\":\"e\",\"labels\":{\"branch\":\"main\",\"commit\":\"f00\"}},"                     \
    "\"machine\":{\"fingerprint\":\"4b54137c17602ee3\",\"stratum\":\"00000000000000bb\","        \
    "\"facts\":{\"isa\":\"avx2\"}},\"ended_at\":\"2026-01-02T03:04:05Z\",\"started_at\":"        \
    "\"2026-01-02T03:04:04Z\",\"steps\":" steps "}\n"

static const char lines[] =
    DOCUMENT("0B1", "{\"nanoseconds\":[9, 10,11,12,13,14,15,16],\"loss\":[1,2,3,4,5,6,7,8]}")
        DOCUMENT("0B2", "{\"nanoseconds\":[0],\"loss\":[1]}")
            DOCUMENT("0B3", "{\"nanoseconds\":[9,10,11,12],\"loss\":[1,2,3,4]}");

static bool import_text(struct error *err)
{
    const struct import_body body = {.text = lines, .length = strlen(lines), .sender = "c1"};
    struct import_report report;
    struct error later = {0};

    template_restore(&database);
    struct db_pool *pool = db_pool_open(database.folder.file, 1, NULL);
    ration_start();
    bool ok = import_lines(pool, &body, &report, err);
    ration_stop();
    /* A library that has no memory may take lawful text for lawless. */
    bool excused = ok && report.refused > 1;
    for (size_t i = 0; ok && i < report.refusal_count; i++)
        EXPECT(report.refusals[i].line == 2 || is_excused(&report.refusals[i].error));
    EXPECT(!ok || excused || (report.imported == 2 && report.refused == 1));
    EXPECT(import_lines(pool, &body, &report, &later));
    EXPECT_STR(later.message, "");
    EXPECT_INT(report.imported + report.known, 2);
    EXPECT_INT(report.refused, 1);
    EXPECT_INT(report.refusals[0].line, 2);
    EXPECT_STR(report.refusals[0].id.text, "01HF7YAT0000000000000000B2");
    db_pool_free(pool);
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM runs"), 5);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM runs WHERE sender = 'c1'"), 2);
    expect_whole(db);
    return ok;
}

static void an_import_survives_every_shortage(void)
{
    database = template_make(schema_version, fill_with_runs);
    survive_shortages("import lines", import_text, 7);
    template_free(&database);
}

int main(void)
{
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0); /* every allocation of its own */
    fault_vfs_install();
    imported_make(&parts);
    parts.spec.label_count = 2;
    parts.spec.labels[1] = (struct label){"commit", "f00"};
    RUN(the_database_survives_every_shortage);
    RUN(an_import_survives_every_shortage);
    return test_result();
}
