/* Standings are what the runs of the database come to, brought up to date when some come. */
#include "db/standings/standings.h"

#include "tests/db/database.h"

static void execute(struct db *db, const char *sql)
{
    struct error err = {0};

    EXPECT(db_execute(db, sql, &err));
    EXPECT_STR(err.message, "");
}

/* Two contenders; the runs of the first are of three machines. */
static struct db *open_filled(const struct folder *folder)
{
    struct db *db = open_database(folder);

    execute(db,
            "INSERT INTO contenders VALUES (1, 'mlp', 'e', '{}', 'aws', 'a.large', 's', 0, 2),"
            " (2, 'mlp', 'e', '{}', 'aws', 'b.large', 's', 0, 2);"
            "INSERT INTO machines VALUES (9, 'f', 's',"
            " '{\"cpu_model\":\"Made-up\",\"isa\":\"avx2\"}', 1);"
            "WITH r(n, v, vm, speed) AS (VALUES (1, 'ok', 'a', 10.0), (2, 'warn', 'b', 11.0),"
            " (3, 'ok', 'c', 12.0), (4, 'invalid', 'd', 90.0))"
            " INSERT INTO runs (number, id, state, spec, engine, workload, instance, created_us,"
            " ended_us, samples_per_second, throughput_low, throughput_high, validity, vm,"
            " contender, machine, software) SELECT n, 'run-' || n, 'finished', '{}', 'e', 'mlp',"
            " 'a.large', n, n * 1000, speed, speed - 1, speed + 1, v, 'i00000000000000' || vm, "
            "1, 9, 'made, ' || n || ' threads'"
            " FROM r;"
            "UPDATE revision SET number = 2;");
    return db;
}

static void update(struct db *db, struct standings *standings)
{
    struct error err = {0};

    EXPECT(standings_update(db, standings, &err));
    EXPECT_STR(err.message, "");
}

TEST(runs_that_count_make_a_standing)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *db = open_filled(&folder);
    AUTO(standings_free) struct standings standings = {0};

    update(db, &standings);
    EXPECT_INT((long long)standings.count, 2);
    const struct contender *first = &standings.list[0];
    EXPECT_INT(first->standing.level, STANDING_VMS);
    EXPECT_NEAR(first->standing.value, 11, 0.02);
    EXPECT_INT(first->standing.runs, 3);
    EXPECT_INT(first->standing.warned, 1);
    EXPECT_INT(first->standing.invalid, 1);
    EXPECT_INT(first->standing.newest_us, 3000);
    /* The newest that counts, not the invalid one after it. */
    EXPECT_STR(first->newest.run, "run-3");
    EXPECT_STR(first->newest.software, "made, 3 threads");
    EXPECT_STR(first->newest.cpu_model, "Made-up");
    EXPECT_STR(first->newest.machine_isa, "avx2");
    EXPECT_INT(standings.list[1].standing.level, STANDING_NONE);
    EXPECT_STR(standings.list[1].newest.run, "");
}

static double hertz_of(struct db *db)
{
    AUTO(standings_free) struct standings standings = {0};

    update(db, &standings);
    return standings.list[0].newest.hertz;
}

TEST(the_clock_is_the_median_of_the_newest_runs_canaries)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *db = open_filled(&folder);

    EXPECT_NEAR(hertz_of(db), 0, 0);
    execute(db, "INSERT INTO canaries VALUES (3, 0, 0, 5e9, 1), (1, 0, 0, 9e9, 1)");
    EXPECT_NEAR(hertz_of(db), 5e9, 0);
    execute(db, "INSERT INTO canaries VALUES (3, 1, 1, 2e9, 1)");
    EXPECT_NEAR(hertz_of(db), 5e9, 0); /* of two the higher */
    execute(db, "INSERT INTO canaries VALUES (3, 2, 2, 3e9, 1)");
    EXPECT_NEAR(hertz_of(db), 3e9, 0);
    execute(db, "INSERT INTO canaries VALUES (3, 3, 3, 1e9, 1), (3, 4, 4, 1e9, 1)");
    EXPECT_NEAR(hertz_of(db), 2e9, 0);
}

TEST(only_what_has_changed_is_looked_at_again)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *db = open_filled(&folder);
    AUTO(standings_free) struct standings standings = {0};

    update(db, &standings);
    execute(db, "UPDATE runs SET samples_per_second = 20 WHERE number <= 3");
    update(db, &standings);
    EXPECT_NEAR(standings.list[0].standing.value, 11, 0.02);
    execute(db, "UPDATE revision SET number = 3; UPDATE contenders SET changed = 3 WHERE number ="
                " 2; INSERT INTO contenders VALUES (3, 'mlp', 'e', '{}', 'aws', 'c.large', 's',"
                " 0, 3)");
    update(db, &standings);
    EXPECT_INT((long long)standings.count, 3);
    EXPECT_NEAR(standings.list[0].standing.value, 11, 0.02);
    execute(db, "UPDATE revision SET number = 4; UPDATE contenders SET changed = 4 WHERE number ="
                " 1");
    update(db, &standings);
    EXPECT_NEAR(standings.list[0].standing.value, 20, 1e-12);
    EXPECT_INT((long long)standings.count, 3);
}

TEST(texts_that_are_too_long_are_cut)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    AUTO(db_freep) struct db *db = open_filled(&folder);
    AUTO(standings_free) struct standings standings = {0};

    execute(db, "UPDATE runs SET software = printf('%.*c', 500, 'x'),"
                " vm = printf('i%.*c', 100, '0') || number");
    update(db, &standings);
    EXPECT_INT((long long)strlen(standings.list[0].newest.software),
               (long long)sizeof standings.list[0].newest.software - 1);
    EXPECT_INT(standings.list[0].standing.vms, 1); /* alike as far as they are kept */
}
