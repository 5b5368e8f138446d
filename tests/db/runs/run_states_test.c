/* How runs move from state to state, and how they do not. */
#include "db/db_open.h"

#include "tests/db/database.h"
#include "tests/threads.h"

#include <math.h>

#define CLAIMERS 3
#define WAITING 60

TEST_WITH_DATABASE(a_queued_run_is_cancelled_at_once)
{
    AUTO(run_clear) struct run run = queue_run(db);
    AUTO(run_clear) struct run after = {0};

    EXPECT(runs_cancel(db, run.id.text, NOON_US + 9, &after, NULL));
    EXPECT_HAS(after, (state, RUN_CANCELLED), (ended_us, NOON_US + 9), (started_us, 0));
}

TEST_WITH_DATABASE(a_cancelled_run_stays_running_until_its_worker_has_the_signal)
{
    AUTO(run_clear) struct run run = queue_run(db);
    claim_one(db);
    AUTO(run_clear) struct run after = {0};

    EXPECT(runs_cancel(db, run.id.text, NOON_US + 9, &after, NULL));
    EXPECT_HAS(after, (state, RUN_RUNNING), (ended_us, 0));
}

TEST_WITH_DATABASE(a_run_that_has_ended_cannot_be_cancelled)
{
    EACH(enum run_state, end, RUN_FINISHED, RUN_FAILED, RUN_CANCELLED, RUN_INTERRUPTED,
         RUN_PREEMPTED) {
        AUTO(run_clear) struct run run = queue_run(db);
        AUTO(run_clear) struct run claimed = claim_run(db);
        struct run after = {0};

        claimed.state = end;
        EXPECT(runs_end(db, &claimed, NULL));
        EXPECT_ERROR_SAYS(runs_cancel(db, run.id.text, NOON_US, &after, &err), ERROR_CONFLICT,
                          run_state_name(end));
        EXPECT_INT(after.number, 0);
        AUTO(run_clear) struct run now = find_run(db, run.id.text);
        EXPECT_INT(now.state, end);
    }
}

TEST_WITH_DATABASE(an_unknown_run_cannot_be_cancelled)
{
    struct run after = {0};

    EXPECT_ERROR(runs_cancel(db, "unknown", NOON_US, &after, &err), ERROR_NOT_FOUND);
}

TEST_WITH_DATABASE(the_oldest_orphan_is_found_until_none_is_left)
{
    struct run none = {.number = 77};
    bool found = true;

    EXPECT(runs_orphan(db, &none, &found, NULL));
    EXPECT(!found);
    for (int i = 0; i < 3; i++) { /* the third stays queued, so it is no orphan */
        queue_runs(db, 1);
        if (i < 2)
            claim_one(db);
    }
    for (long long number = 1; number <= 2; number++) {
        AUTO(run_clear) struct run orphan = {0};

        EXPECT(runs_orphan(db, &orphan, &found, NULL));
        EXPECT(found);
        EXPECT_INT(orphan.number, number);
        orphan.state = RUN_INTERRUPTED;
        EXPECT(runs_end(db, &orphan, NULL));
    }
    EXPECT(runs_orphan(db, &none, &found, NULL));
    EXPECT(!found);
    EXPECT_INT(none.number, 77);
}

/* Puts a row straight into a state, which no function of the store does. */
static bool insert_in_state(struct db *db, const char *state)
{
    static int serial;
    char sql[400];

    snprintf(
        sql, sizeof sql,
        "INSERT INTO runs (id, state, spec, engine, workload, created_us, samples_per_second)"
        " VALUES ('id%d', '%s', '{}', 'e', 'w', 1, %s)",
        serial++, state, strcmp(state, "finished") == 0 ? "1.5" : "NULL");
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK;
}

TEST_WITH_DATABASE(runs_are_counted_by_state)
{
    long long counts[RUN_STATES];

    do_not_sync(db);
    EXPECT(runs_count(db, counts, NULL));
    for (int state = 0; state < RUN_STATES; state++) {
        EXPECT_INT(counts[state], 0);
        for (int i = 0; i <= state; i++)
            EXPECT(insert_in_state(db, run_state_names[state]));
    }
    EXPECT(runs_count(db, counts, NULL));
    for (int state = 0; state < RUN_STATES; state++)
        EXPECT_INT(counts[state], state + 1);
}

static bool is_allowed(enum run_state from, enum run_state to)
{
    if (from == RUN_QUEUED)
        return to == RUN_RUNNING || to == RUN_CANCELLED;
    return from == RUN_RUNNING && run_state_is_final(to);
}

TEST_WITH_DATABASE(the_database_refuses_every_move_but_those_forward)
{
    do_not_sync(db);
    for (int from = 0; from < RUN_STATES; from++)
        for (int to = 0; to < RUN_STATES; to++) {
            char sql[200];

            EXPECT(insert_in_state(db, run_state_names[from]));
            snprintf(sql, sizeof sql,
                     "UPDATE runs SET state = '%s', samples_per_second = %s"
                     " WHERE number = (SELECT max(number) FROM runs)",
                     run_state_names[to], to == RUN_FINISHED ? "1.5" : "NULL");
            EXPECT_INT(sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK,
                       is_allowed((enum run_state)from, (enum run_state)to));
        }
}

TEST_WITH_DATABASE(the_database_refuses_an_unknown_state)
{
    EXPECT(!insert_in_state(db, "sleeping"));
    EXPECT(!insert_in_state(db, ""));
    EXPECT(!insert_in_state(db, "Queued"));
    EXPECT(insert_in_state(db, "queued"));
    EXPECT(!db_execute(db, "UPDATE runs SET state = 'taken'", NULL));
}

TEST_WITH_DATABASE(only_a_finished_run_has_a_number)
{
    EXPECT(!db_execute(db,
                       "INSERT INTO runs (id, state, spec, engine, workload, created_us,"
                       " samples_per_second) VALUES ('x', 'preempted', '{}', 'e', 'w', 1, 12.5)",
                       NULL));
}

TEST_WITH_DATABASE(a_finished_run_without_a_number_is_refused_whole)
{
    queue_runs(db, 1);
    AUTO(run_clear) struct run run = claim_run(db);

    run.state = RUN_FINISHED;
    run.ended_us = NOON_US + 5;
    run.summary.samples_per_second = NAN; /* SQLite stores that as NULL */
    EXPECT_ERROR(runs_end(db, &run, &err), ERROR_INTERNAL);
    AUTO(run_clear) struct run found = find_run(db, run.id.text);
    EXPECT_HAS(found, (state, RUN_RUNNING), (ended_us, 0));
}

struct claimer {
    const struct folder *folder;
    int claimed[WAITING + 1]; /* by number */
};

static void *claim_all(void *argument)
{
    struct claimer *claimer = argument;
    AUTO(db_freep) struct db *db = db_open(claimer->folder->file, NULL);
    bool found = db != NULL;

    while (found) {
        AUTO(run_clear) struct run run = {0};

        if (!runs_claim(db, NOON_US, 0, &run, &found, NULL))
            break;
        if (found && run.number <= WAITING)
            claimer->claimed[run.number]++;
    }
    return NULL;
}

TEST_IN_FOLDER(no_run_is_claimed_twice)
{
    AUTO(db_freep) struct db *db = open_database(folder);
    struct claimer claimers[CLAIMERS] = {
        {.folder = folder}, {.folder = folder}, {.folder = folder}};

    do_not_sync(db);
    queue_runs(db, WAITING);
    run_threads(CLAIMERS, claim_all, claimers, sizeof claimers[0]);
    for (int number = 1; number <= WAITING; number++)
        EXPECT_INT(claimers[0].claimed[number] + claimers[1].claimed[number] +
                       claimers[2].claimed[number],
                   1);
}

TEST_IN_FOLDER(a_database_that_another_writes_to_is_busy_and_stays_whole)
{
    AUTO(db_freep) struct db *db = open_database(folder), *other = open_database(folder);
    struct run_spec spec = run_spec_default();
    struct run_order order = order_of(&spec);
    struct run run = {0};
    bool flag = false;

    do_not_wait(db);
    AUTO(run_clear) struct run before = create_run(other, &order);
    execute(other, "BEGIN IMMEDIATE");
    EXPECT_ERROR(runs_create(db, &order, &run, &flag, &err), ERROR_BUSY);
    EXPECT_ERROR(runs_claim(db, NOON_US, 0, &run, &flag, &err), ERROR_BUSY);
    EXPECT_ERROR(runs_cancel(db, before.id.text, NOON_US, &run, &err), ERROR_BUSY);
    EXPECT_INT(run.number, 0);

    AUTO(run_clear) struct run found = find_run(db, before.id.text); /* reading goes on */
    EXPECT_INT(found.state, RUN_QUEUED);
    execute(other, "COMMIT");
    create_one(db, &order);
    EXPECT_ROWS(db, 2, "runs");
}
