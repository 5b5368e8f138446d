#include "server/runs/maintenance.h"

#include "common/clock.h"
#include "server/base/log.h"
#include "tests/db/kept.h"

static void end_at_once(void *user, struct db *db)
{
    bool *wanted = user;

    if (db && *wanted)
        db_interrupt(db);
}

static void a_pass_waits_until_nothing_was_done_for_a_while(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *db = open_database(&folder);
    struct keeper keeper = {.keep_steps_days = 30};
    long long now_ns = 5 * NS_PER_SECOND;

    keeper_start(&keeper, now_ns);
    EXPECT(keeper.due_ns > now_ns + 10 * NS_PER_SECOND);
    keeper_work(&keeper, db, keeper.due_ns - 1, NOON_US);
    EXPECT(!keeper.begun);
    keeper_wait(&keeper, keeper.due_ns - 1); /* a run has ended */
    EXPECT(keeper.due_ns > now_ns + 30 * NS_PER_SECOND);
    keeper_work(&keeper, db, keeper.due_ns, NOON_US);
    EXPECT(keeper.begun);
    EXPECT_INT(keeper.thinning.before_us, NOON_US - 30 * 24 * 3600 * 1000000LL);
    EXPECT_INT(keeper.task, KEEPER_LOOK);
    keeper_work(&keeper, db, keeper.due_ns, NOON_US);
    EXPECT_INT(keeper.task, KEEPER_TIDY);
    now_ns = keeper.due_ns;
    keeper_work(&keeper, db, now_ns, NOON_US);
    EXPECT(!keeper.begun);
    EXPECT_INT(keeper.due_ns - now_ns, 24 * 3600 * NS_PER_SECOND);
}

static void without_a_limit_nothing_is_thinned(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *db = open_database(&folder);
    struct keeper keeper = {0};

    keeper_start(&keeper, 0);
    keeper_work(&keeper, db, keeper.due_ns, NOON_US);
    EXPECT_INT(keeper.task, KEEPER_TIDY);
    EXPECT_INT(keeper.thinning.looks, 0);
}

static void a_damaged_database_is_left_alone(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *db = open_database(&folder);
    struct keeper keeper = {.keep_steps_days = 1};
    long long due_ns;

    keeper_start(&keeper, 0);
    due_ns = keeper.due_ns;
    db_note_damage();
    keeper_work(&keeper, db, due_ns, NOON_US);
    EXPECT(!keeper.begun);
    EXPECT(keeper.due_ns > due_ns); /* so that nobody asks again and again */
    db_forget_damage();
}

static void a_look_that_was_disturbed_is_begun_again(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *db = open_database(&folder);
    bool wanted = true;
    struct keeper keeper = {.watch = {end_at_once, &wanted}};
    long long day_ns = 24 * 3600 * NS_PER_SECOND;

    add_ballast(db);
    keeper_start(&keeper, 0);
    keeper_work(&keeper, db, keeper.due_ns, NOON_US);
    EXPECT_INT(keeper.task, KEEPER_LOOK);
    keeper_work(&keeper, db, keeper.due_ns + day_ns / 2, NOON_US);
    EXPECT_INT(keeper.task, KEEPER_LOOK);
    keeper_work(&keeper, db, keeper.due_ns + day_ns, NOON_US); /* the rest is due, too */
    EXPECT_INT(keeper.task, KEEPER_TIDY);
    keeper_start(&keeper, 0);
    wanted = false;
    keeper_work(&keeper, db, keeper.due_ns, NOON_US);
    EXPECT_INT(keeper.task, KEEPER_TIDY);
}

int main(void)
{
    log_set_level(LOG_ERROR);
    RUN(a_pass_waits_until_nothing_was_done_for_a_while);
    RUN(without_a_limit_nothing_is_thinned);
    RUN(a_damaged_database_is_left_alone);
    RUN(a_look_that_was_disturbed_is_begun_again);
    return test_result();
}
