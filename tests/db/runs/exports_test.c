#include "common/text.h"
#include "db/runs/exports.h"
#include "engine/document/run_document_write.h"

#include "tests/db/database.h"
#include "tests/db/imported.h"

/* Runs 1 to 4 of different sorts, and one that is queued. */
static void fill(struct db *db)
{
    struct imported_parts parts;
    enum import_fate fate;

    imported_make(&parts);
    for (int i = 0; i < 4; i++) {
        parts.run.id.text[RUN_ID_LENGTH - 1] = (char)('A' + i);
        TEXT_COPY(parts.run.spec.engine, i < 2 ? "one" : "other");
        TEXT_COPY(parts.run.spec.labels[0].value, i == 3 ? "topic" : "main");
        parts.run.machine[0] = i == 1 ? '\0' : '0';
        EXPECT(import_alone(db, &parts.imported, &fate, NULL));
    }
    queue_runs(db, 1);
    execute(db, "UPDATE runs SET provenance = 'measured' WHERE number = 3");
    execute(db, "DELETE FROM traces WHERE run = 3");
}

/* What was exported: the last letters of ids, in order. */
struct heard {
    char letters[10];
    size_t count, most;
};

static bool listen(void *user, const struct document_parts *parts)
{
    struct heard *heard = user;

    heard->letters[heard->count++] = parts->run->id.text[RUN_ID_LENGTH - 1];
    EXPECT_HAS(*parts, (run->implementations, "{\"a\":{}}"),
               (stratum, parts->run->machine[0] ? "00000000000000bb" : NULL),
               (facts, parts->run->machine[0] ? "{\"isa\":\"avx2\",\"cores\":2}" : NULL),
               (steps, parts->run->provenance == PROVENANCE_IMPORTED ? IMPORTED_STEPS : NULL));
    EXPECT_STR(parts->evidence,
               parts->run->provenance == PROVENANCE_IMPORTED ? IMPORTED_EVIDENCE : NULL);
    EXPECT_STR(parts->run->summary_text, "{\"s\":1}");
    return heard->count < heard->most;
}

static void expect_exported(struct db *db, const struct run_filter *filter, const char *letters,
                            long long last)
{
    struct heard heard = {.most = 9};
    long long number = -1;

    EXPECT(exports_each(db, filter, &(struct export_reader){listen, &heard}, &number, NULL));
    EXPECT_STR(heard.letters, letters);
    EXPECT_INT(number, last);
}

TEST_WITH_DATABASE(finished_runs_are_exported_oldest_first)
{
    expect_exported(db, &(struct run_filter){.limit = -1}, "", 0);
    fill(db);
    expect_exported(db, &(struct run_filter){.limit = -1}, "ABCD", 4);
    expect_exported(db, &(struct run_filter){.limit = 2}, "AB", 2);
    expect_exported(db, &(struct run_filter){.limit = -1, .after = 2}, "CD", 4);
    expect_exported(db, &(struct run_filter){.limit = -1, .after = 4}, "", 0);
}

/* All conditions are in run_list_test.c. */
TEST_WITH_DATABASE(a_filter_leaves_out_runs)
{
    struct run_filter filter = {.limit = -1, .engine = "other", .label_count = 1};

    fill(db);
    filter.labels[0] = (struct wanted_label){"branch", "main"};
    expect_exported(db, &filter, "C", 3);
    filter.provenance = "imported";
    expect_exported(db, &filter, "", 0);
}

TEST_WITH_DATABASE(a_reader_that_has_enough_gets_no_more_runs)
{
    struct heard heard = {.most = 3};
    long long last;

    fill(db);
    EXPECT(exports_each(db, &(struct run_filter){.limit = -1},
                        &(struct export_reader){listen, &heard}, &last, NULL));
    EXPECT_STR(heard.letters, "ABC");
    EXPECT_INT(last, 3);
}

TEST_WITH_DATABASE(a_broken_database_gives_an_error)
{
    struct heard heard = {.most = 9};
    long long last;

    execute(db, "DROP TABLE traces");
    EXPECT_ERROR(exports_each(db, &(struct run_filter){.limit = -1},
                              &(struct export_reader){listen, &heard}, &last, &err),
                 ERROR_INTERNAL);
}
