#include "db/damage.h"
#include "server/runs/maintenance.h"

#include "common/clock.h"
#include "server/base/log.h"
#include "tests/db/kept.h"

static void quietly(void (*test)(struct db *db))
{
    log_set_level(LOG_ERROR);
    with_database(test);
}

#define TEST_ON_A_QUIET_DATABASE(name) TEST_GIVEN(name, struct db *db, quietly)

static void end_at_once(void *user, struct db *db)
{
    bool *wanted = user;

    if (db && *wanted)
        db_interrupt(db);
}

TEST_ON_A_QUIET_DATABASE(a_pass_waits_until_nothing_was_done_for_a_while)
{
    struct maintenance maintenance = {.keep_steps_days = 30};
    long long now_ns = 5 * NS_PER_SECOND;

    maintenance_start(&maintenance, now_ns);
    EXPECT(maintenance.due_ns > now_ns + 10 * NS_PER_SECOND);
    maintenance_work(&maintenance, db, maintenance.due_ns - 1, NOON_US);
    EXPECT(!maintenance.begun);
    maintenance_wait(&maintenance, maintenance.due_ns - 1); /* a run has ended */
    EXPECT(maintenance.due_ns > now_ns + 30 * NS_PER_SECOND);
    maintenance_work(&maintenance, db, maintenance.due_ns, NOON_US);
    EXPECT(maintenance.begun);
    EXPECT_INT(maintenance.thinning.before_us, NOON_US - 30 * 24 * 3600 * 1000000LL);
    EXPECT_INT(maintenance.task, MAINTENANCE_VERIFY);
    maintenance_work(&maintenance, db, maintenance.due_ns, NOON_US);
    EXPECT_INT(maintenance.task, MAINTENANCE_TIDY);
    now_ns = maintenance.due_ns;
    maintenance_work(&maintenance, db, now_ns, NOON_US);
    EXPECT(!maintenance.begun);
    EXPECT_INT(maintenance.due_ns - now_ns, 24 * 3600 * NS_PER_SECOND);
}

TEST_ON_A_QUIET_DATABASE(without_a_limit_nothing_is_thinned)
{
    struct maintenance maintenance = {0};

    maintenance_start(&maintenance, 0);
    maintenance_work(&maintenance, db, maintenance.due_ns, NOON_US);
    EXPECT_HAS(maintenance, (task, MAINTENANCE_TIDY), (thinning.looks, 0));
}

TEST_ON_A_QUIET_DATABASE(a_damaged_database_is_left_alone)
{
    struct maintenance maintenance = {.keep_steps_days = 1};
    long long due_ns;

    maintenance_start(&maintenance, 0);
    due_ns = maintenance.due_ns;
    db_note_damage();
    maintenance_work(&maintenance, db, due_ns, NOON_US);
    EXPECT(!maintenance.begun);
    EXPECT(maintenance.due_ns > due_ns); /* so that the runner does not ask again and again */
    db_forget_damage();
}

TEST_ON_A_QUIET_DATABASE(a_look_that_was_disturbed_is_begun_again)
{
    bool wanted = true;
    struct maintenance maintenance = {.watch = {end_at_once, &wanted}};
    long long day_ns = 24 * 3600 * NS_PER_SECOND;

    add_ballast(db);
    maintenance_start(&maintenance, 0);
    maintenance_work(&maintenance, db, maintenance.due_ns, NOON_US);
    EXPECT_INT(maintenance.task, MAINTENANCE_VERIFY);
    maintenance_work(&maintenance, db, maintenance.due_ns + day_ns / 2, NOON_US);
    EXPECT_INT(maintenance.task, MAINTENANCE_VERIFY);
    maintenance_work(&maintenance, db, maintenance.due_ns + day_ns,
                     NOON_US); /* the rest is due, too */
    EXPECT_INT(maintenance.task, MAINTENANCE_TIDY);
    maintenance_start(&maintenance, 0);
    wanted = false;
    maintenance_work(&maintenance, db, maintenance.due_ns, NOON_US);
    EXPECT_INT(maintenance.task, MAINTENANCE_TIDY);
}
