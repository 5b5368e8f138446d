/* A database as it is before an accident, made once and put back before each. */
#pragma once

#include "db/db_open.h"
#include "db/runs/runs.h"
#include "db/runs/step_rows.h"
#include "engine/run/pace.h"
#include "tests/db/kept.h"
#include "tests/db/made_up_schema.h"
#include "tests/faults/fault_vfs.h"

struct template
{
    struct folder folder;
    struct bytes image; /* nothing: the database is not there yet */
};

/* Run 1 is running and has two steps, runs 2 and 3 are queued. */
static inline void fill_with_runs(struct db *db)
{
    const struct step steps[] = {{.nanoseconds = 10, .loss = 0.5, .split = {1, 2, 3, 4, 0}},
                                 {.nanoseconds = 11, .loss = 0.25}};
    struct run_spec spec = labelled_spec();
    struct run_order order = order_of(&spec);

    for (int i = 0; i < 3; i++)
        create_one(db, &order);
    AUTO(run_clear) struct run running = claim_run(db);
    EXPECT(step_rows_append(db, running.number, 0, steps, COUNT(steps), NULL));
}

/* There is no database yet. */
static inline struct template template_of_nothing(void)
{
    return (struct template){.folder = folder_make()};
}

static inline struct template template_make(void (*fill)(struct db *))
{
    struct template template = template_of_nothing();
    struct db *db = open_database(&template.folder);

    if (fill)
        fill(db);
    db_free(db);
    template.image = content_of(template.folder.file);
    return template;
}

static inline void template_restore(const struct template *template)
{
    folder_empty(&template->folder);
    if (template->image.used > 0)
        put_content(template->folder.file, template->image.data, template->image.used);
}

static inline void template_free(struct template *template)
{
    bytes_free(&template->image);
    folder_remove(&template->folder);
}

/* No accident may leave anything that these queries see. */
static inline void expect_whole(struct db *db)
{
    char words[200];

    text_of(db, "PRAGMA integrity_check", sizeof words, words);
    EXPECT_STR(words, "ok");
    text_of(db, "PRAGMA journal_mode", sizeof words, words);
    EXPECT_STR(words, "wal");
    EXPECT_ROWS(db, 0, "pragma_foreign_key_check()");
    EXPECT_ROWS(db, 0, "runs WHERE (SELECT count(*) FROM run_labels WHERE run = number) <> 2");
    EXPECT_ROWS(db, 0,
                "runs WHERE (SELECT count(*) FROM steps WHERE run = number) <> steps AND number"
                " NOT IN (SELECT run FROM traces)");
    EXPECT_ROWS(db, 0,
                "runs WHERE (state = 'queued') <> (started_us IS NULL AND ended_us IS NULL) OR"
                " (state = 'running') <> (started_us NOT NULL AND ended_us IS NULL)");
}

/* Writes something that changes nothing: the connection works. */
static inline void expect_usable(struct db *db)
{
    AUTO(transaction_end) struct transaction change = {0};
    struct error err = {0};

    EXPECT(transaction_begin(&change, db, DB_DURABLE, &err) &&
           db_execute(db, "UPDATE runs SET reason = NULL WHERE reason IS NULL", &err) &&
           transaction_commit(&change, &err));
    EXPECT_STR(err.message, "");
}

/* The disk works again after an accident; returns how many calls have failed. One that fails for
 * good cannot be cleaned up either. */
static inline long long end_accident(struct db *db, const struct fault_plan *plan)
{
    long long failed = -1;

    if (!plan->for_good) {
        failed = fault_disarm();
        expect_usable(db);
        expect_whole(db);
    }
    db_free(db);
    return plan->for_good ? fault_disarm() : failed;
}

/* After an accident while it was made or upgraded to the made-up schema, the next opening finds
 * that schema and every run. */
static inline void expect_upgraded(const struct template *template)
{
    AUTO(db_freep)
    struct db *db = db_open_schema(template->folder.file, &made_up_schema, NULL);

    REQUIRE(db);
    EXPECT_INT(number_of(db, "PRAGMA user_version"), made_up_schema.version);
    EXPECT_ROWS(db, template->image.used > 0 ? 3 : 0, "runs");
    EXPECT_ROWS(db, template->image.used > 0 ? 3 : 0,
                "made_up JOIN runs ON number = run WHERE runs.made_up = 2 * run");
    expect_whole(db);
    expect_usable(db);
}
