#include "db/runs/machines.h"

#include "tests/db/database.h"

static char one[] = "0123456789abcdef", other[] = "fedcba9876543210",
            stratum[] = "5555555555555555";
static char facts[] = "{\"isa\":\"avx2\"}";

static long long store(struct db *db, char *fingerprint, long long now_us)
{
    const struct machine_row row = {
        .fingerprint = fingerprint, .stratum = stratum, .facts = facts, .seen_us = now_us};
    long long number = 0;

    EXPECT(machines_store(db, &row, &number, NULL));
    return number;
}

TEST_WITH_DATABASE(a_machine_is_stored_once_however_often_it_is_seen)
{
    long long first = store(db, one, NOON_US), second = store(db, other, NOON_US + 1);

    EXPECT(first > 0 && second > 0 && first != second);
    EXPECT_INT(store(db, one, NOON_US + 2), first);
    AUTO(machine_row_clear) struct machine_row found = {0};
    EXPECT(machines_find(db, one, &found, NULL));
    EXPECT_HAS(found, (fingerprint, one), (stratum, stratum), (facts, facts));
    EXPECT_INT(found.seen_us, NOON_US); /* when it was first seen */
}

/* A sender has made up facts with the hash that our own will have. */
TEST_WITH_DATABASE(own_facts_replace_a_senders)
{
    static char made_up[] = "{\"isa\":\"none\"}", wrong[] = "6666666666666666";
    const struct machine_row sent = {
        .fingerprint = one, .stratum = wrong, .facts = made_up, .seen_us = NOON_US};
    AUTO(machine_row_clear) struct machine_row found = {0};
    long long number = 0, again = 0;

    EXPECT(machines_put(db, &sent, &number, NULL));
    EXPECT_INT(store(db, one, NOON_US + 1), number);
    EXPECT(machines_put(db, &sent, &again, NULL));
    EXPECT_INT(again, number);
    EXPECT(machines_find(db, one, &found, NULL));
    EXPECT_HAS(found, (stratum, stratum), (facts, facts));
}

TEST_WITH_DATABASE(a_run_points_to_the_machine_that_claimed_it)
{
    AUTO(run_clear) struct run run = {0};
    bool found;

    queue_runs(db, 1);
    EXPECT(runs_claim(db, NOON_US, store(db, one, NOON_US), &run, &found, NULL));
    EXPECT_STR(run.machine, one);
}

/* Collects the first letters. */
static void tell(void *user, const struct machine_row *machine)
{
    add_text(user, 64, "%.1s", machine->fingerprint);
}

TEST_WITH_DATABASE(they_are_listed_latest_first)
{
    char all[64] = "", newest[64] = "";

    store(db, one, NOON_US);
    store(db, other, NOON_US + 1);
    EXPECT(machines_each(db, 10, tell, all, NULL));
    EXPECT_STR(all, "f0");
    EXPECT(machines_each(db, 1, tell, newest, NULL));
    EXPECT_STR(newest, "f");
}

TEST_WITH_DATABASE(an_unknown_one_is_not_found)
{
    struct machine_row row;

    EXPECT_ERROR(machines_find(db, "unknown", &row, &err), ERROR_NOT_FOUND);
}
