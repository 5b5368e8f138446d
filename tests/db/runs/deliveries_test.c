#include "db/db_open.h"
#include "db/runs/deliveries.h"
#include "engine/document/run_document_write.h"

#include "db/db_lock.h"
#include "db/schema.h"
#include "tests/db/finished.h"
#include "tests/db/imported.h"

#define HUB "http://hub.test"

/* The numbers that the reader got, as digits. */
struct heard {
    char numbers[20];
    size_t count;
};

static bool listen(void *user, const struct document_parts *parts)
{
    struct heard *heard = user;

    heard->numbers[heard->count++] = (char)('0' + parts->run->number);
    return true;
}

static void expect_waiting(struct db *db, const char *hub, long long after, const char *numbers)
{
    struct heard heard = {0};

    EXPECT_OK(deliveries_each(db, hub, after, &(struct export_reader){listen, &heard}, &err));
    EXPECT_STR(heard.numbers, numbers);
}

static void expect_counts(struct db *db, long long waiting, long long accepted, long long refused,
                          long long thinned)
{
    struct delivery_counts counts;

    EXPECT(deliveries_count(db, HUB, &counts, NULL));
    EXPECT_HAS(counts, (waiting, waiting), (accepted, accepted), (refused, refused),
               (thinned, thinned));
}

/* Runs 1 to 3 are finished; 4 has failed, 5 was imported, 6 is queued. */
static void fill(struct db *db)
{
    struct imported_parts parts;
    enum import_fate fate;

    for (int i = 0; i < 3; i++)
        ENDED(db, 100);
    ENDED(db, 100, .failed = true);
    imported_make(&parts);
    EXPECT(import_alone(db, &parts.imported, &fate, NULL));
    queue_runs(db, 1);
}

static void record(struct db *db, const char *hub, long long run, enum delivery_verdict verdict,
                   const char *reason)
{
    struct delivery delivery = {.run = run, .verdict = verdict};

    snprintf(delivery.reason, sizeof delivery.reason, "%s", reason);
    EXPECT_OK(deliveries_record(db, hub, &delivery, 1, NOON_US, &err));
}

TEST_WITH_DATABASE(runs_measured_here_wait_for_each_hub)
{
    expect_waiting(db, HUB, 0, "");
    expect_counts(db, 0, 0, 0, 0);
    fill(db);
    expect_waiting(db, HUB, 0, "123");
    expect_waiting(db, HUB, 1, "23");
    expect_counts(db, 3, 0, 0, 0);
    record(db, HUB, 2, DELIVERY_ACCEPTED, "");
    expect_waiting(db, HUB, 0, "13");
    expect_waiting(db, "http://another.test", 0, "123");
    expect_counts(db, 2, 1, 0, 0);
}

TEST_WITH_DATABASE(a_run_without_its_steps_is_counted_but_not_reported)
{
    fill(db);
    execute(db, "UPDATE runs SET thinned_us = 5 WHERE number IN (1, 2)");
    record(db, HUB, 1, DELIVERY_ACCEPTED, "");
    expect_waiting(db, HUB, 0, "3");
    expect_counts(db, 1, 1, 0, 1);
}

TEST_WITH_DATABASE(a_refusal_keeps_its_reason_until_it_is_accepted_after_all)
{
    struct delivery found;

    fill(db);
    EXPECT(deliveries_find(db, HUB, 1, &found, NULL));
    EXPECT_INT(found.verdict, DELIVERY_WAITING);
    record(db, HUB, 1, DELIVERY_REFUSED, "steps: are too few");
    EXPECT(deliveries_find(db, HUB, 1, &found, NULL));
    EXPECT_HAS(found, (verdict, DELIVERY_REFUSED), (reason, "steps: are too few"));
    expect_counts(db, 2, 0, 1, 0);
    record(db, HUB, 1, DELIVERY_ACCEPTED, "not looked at");
    EXPECT(deliveries_find(db, HUB, 1, &found, NULL));
    EXPECT_HAS(found, (verdict, DELIVERY_ACCEPTED), (reason, ""));
    record(db, HUB, 1, DELIVERY_REFUSED, "a second sender came too late");
    EXPECT(deliveries_find(db, HUB, 1, &found, NULL));
    EXPECT_INT(found.verdict, DELIVERY_ACCEPTED);
}

TEST_WITH_DATABASE(refused_runs_wait_again_when_that_is_asked)
{
    struct delivery found;

    fill(db);
    record(db, HUB, 1, DELIVERY_REFUSED, "steps: are too few");
    record(db, HUB, 2, DELIVERY_ACCEPTED, "");
    record(db, "http://another.test", 1, DELIVERY_REFUSED, "no");
    EXPECT(deliveries_forget_refusals(db, HUB, NULL));
    expect_waiting(db, HUB, 0, "13");
    expect_counts(db, 2, 1, 0, 0);
    EXPECT(deliveries_find(db, "http://another.test", 1, &found, NULL));
    EXPECT_INT(found.verdict, DELIVERY_REFUSED);
    EXPECT(deliveries_forget_refusals(db, HUB, NULL)); /* of none */
}

TEST_WITH_DATABASE(a_batch_is_recorded_whole_or_not_at_all)
{
    struct delivery batch[] = {{.run = 1, .verdict = DELIVERY_ACCEPTED},
                               {.run = 99, .verdict = DELIVERY_ACCEPTED}}; /* there is none */

    fill(db);
    EXPECT_ERROR(deliveries_record(db, HUB, batch, 2, NOON_US, &err), ERROR_INTERNAL);
    expect_counts(db, 3, 0, 0, 0);
    batch[1].run = 3;
    EXPECT(deliveries_record(db, HUB, batch, 2, NOON_US, NULL));
    expect_counts(db, 1, 2, 0, 0);
    EXPECT(deliveries_record(db, HUB, batch, 0, NOON_US, NULL));
    EXPECT_ROWS(db, 2, "deliveries WHERE at_us = 1700000000000000");
}

TEST_IN_FOLDER(a_shared_open_creates_no_database)
{
    EXPECT_ERROR(db_open_shared(folder->file, &err), ERROR_NOT_FOUND);
    EXPECT(access(folder->file, F_OK) != 0);
}

TEST_IN_FOLDER(a_schema_that_is_in_use_is_left_alone)
{
    struct error err = {0};
    struct db *db = db_open_schema(folder->file, &(struct schema){.version = 0}, &err);

    EXPECT(db);
    db_free(db);
    AUTO(db_unlockp) struct db_lock *lock = db_lock(folder->file, &err);
    EXPECT(lock);
    EXPECT(!db_open_shared(folder->file, &err));
    EXPECT_INT(err.kind, ERROR_CONFLICT);
    db = db_open_file(folder->file, SQLITE_OPEN_READWRITE, NULL);
    EXPECT_INT(number_of(db, "PRAGMA user_version"), 0);
    db_free(db);
    db_unlockp(&lock);
    error_clear(&err);
    db = db_open_shared(folder->file, &err);
    EXPECT_STR(err.message, "");
    EXPECT_INT(number_of(db, "PRAGMA user_version"), schema_today.version);
    db_free(db);
    lock = db_lock(folder->file, &err); /* it was given back */
    EXPECT(lock);
    db = db_open_shared(folder->file, &err);
    EXPECT(db);
    db_free(db);
}

TEST_WITH_DATABASE(a_broken_database_gives_an_error)
{
    struct delivery delivery = {.run = 1, .verdict = DELIVERY_ACCEPTED};
    struct heard heard = {0};
    struct delivery_counts counts;

    fill(db);
    execute(db, "DROP TABLE deliveries");
    EXPECT_ERROR(deliveries_each(db, HUB, 0, &(struct export_reader){listen, &heard}, &err),
                 ERROR_INTERNAL);
    EXPECT(!deliveries_record(db, HUB, &delivery, 1, NOON_US, NULL));
    EXPECT(!deliveries_forget_refusals(db, HUB, NULL));
    EXPECT(!deliveries_find(db, HUB, 1, &delivery, NULL));
    EXPECT(!deliveries_count(db, HUB, &counts, NULL));
}
