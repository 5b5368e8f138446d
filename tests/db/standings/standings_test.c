#include "db/standings/standings.h"

#include "engine/spec/configuration.h"
#include "tests/db/finished.h"

/* The standing of the only contender there is. */
static const struct contender *only(const struct standings *standings)
{
    REQUIRE(standings->count == 1);
    return &standings->list[0];
}

#define TEST_WITH_STANDINGS(name)                                                                \
    static void name(struct db *db, struct standings *standings);                                \
    TEST_FOUND(name, with_standings(name))                                                       \
    static void name(struct db *db, struct standings *standings)

static void with_standings(void (*test)(struct db *db, struct standings *standings))
{
    NEW_DATABASE(db);
    AUTO(standings_free) struct standings standings = {0};

    test(db, &standings);
}

TEST_WITH_STANDINGS(an_empty_database_has_none)
{
    update(db, standings);
    EXPECT_HAS(*standings, (count, 0), (revision, revision_of(db)));
}

TEST_WITH_STANDINGS(a_run_that_ends_is_a_standing)
{
    ENDED(db, 640.25, .low = 630.5, .high = 650.75, .stratum = "s1", .at_us = NOON_US + 77);
    update(db, standings);
    const struct contender *contender = only(standings);
    EXPECT_INT(contender->standing.level, STANDING_STEPS);
    EXPECT_NEAR(contender->standing.value, 640.25, 0.01);
    EXPECT(contender->standing.interval.low < 630.5 &&
           contender->standing.interval.high > 650.75);
    EXPECT_HAS(*contender, (standing.newest_us, NOON_US + 77), (standing.runs, 1),
               (provider, "aws"), (instance, "m5.large"), (stratum, "s1"), (is_published, false));
    EXPECT_INT((long long)strlen(contender->id), CONTENDER_ID_SIZE - 1);
    EXPECT_INT(standings->revision, revision_of(db));
}

TEST_WITH_STANDINGS(runs_of_machines_are_put_together)
{
    do_not_sync(db);
    ENDED(db, 100, .vm = "a", .low = 99, .high = 101);
    ENDED(db, 110, .vm = "a", .low = 99, .high = 101);
    ENDED(db, 90, .vm = "b", .low = 99, .high = 101);
    update(db, standings);
    EXPECT_HAS(only(standings)->standing, (level, STANDING_RUNS), (vms, 2));
    EXPECT_NEAR(only(standings)->standing.value, 99, 0.1);
    EXPECT_NEAR(only(standings)->standing.values[0], 90, 0); /* the newest first */
    ENDED(db, 120, .vm = "c", .low = 99, .high = 101);
    update(db, standings);
    EXPECT_INT(only(standings)->standing.level, STANDING_VMS);
    EXPECT_NEAR(only(standings)->standing.value, 103, 0.1);
}

TEST_WITH_STANDINGS(invalid_and_unjudged_runs_are_counted_and_left_out)
{
    do_not_sync(db);
    ENDED(db, 500, .validity = VALIDITY_INVALID, .software = "bad");
    ENDED(db, 600, .unjudged = true, .software = "bad");
    update(db, standings);
    EXPECT_HAS(*only(standings), (standing.level, STANDING_NONE), (standing.invalid, 2),
               (newest.run, ""));
    ENDED(db, 100, .validity = VALIDITY_WARN, .software = "good");
    ENDED(db, 700, .validity = VALIDITY_INVALID, .software = "bad");
    update(db, standings);
    const struct contender *contender = only(standings);
    EXPECT_NEAR(contender->standing.value, 100, 0.01);
    EXPECT_HAS(contender->standing, (runs, 1), (warned, 1), (invalid, 3));
    EXPECT_STR(contender->newest.software, "good"); /* the newest that counts */
}

/* However many bad ones came after. */
TEST_WITH_STANDINGS(the_newest_valid_ones_count)
{
    ENDED(db, 100, .low = 99, .high = 101);
    execute_with(
        db,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
        " INSERT INTO runs (id, state, spec, engine, workload, created_us, ended_us,"
        " samples_per_second, validity, contender, version) SELECT 'bad ' || i, 'finished', spec,"
        " engine, workload, created_us, ended_us, 7, 'invalid', contender, version FROM runs, n"
        " WHERE number = 1",
        STANDING_RUNS_MAX + 5);
    update(db, standings);
    EXPECT_INT(only(standings)->standing.runs, 1);
    EXPECT_NEAR(only(standings)->standing.value, 100, 0.01);
    EXPECT_INT(only(standings)->standing.invalid, STANDING_RUNS_MAX + 5);
    execute(db, "UPDATE runs SET validity = 'ok' WHERE number > 1;"
                "UPDATE revision SET number = number + 1;"
                "UPDATE contenders SET changed = (SELECT number FROM revision)");
    update(db, standings);
    EXPECT_INT(only(standings)->standing.runs, STANDING_RUNS_MAX); /* the oldest are too many */
    EXPECT_NEAR(only(standings)->standing.value, 7, 0.01);
}

TEST_WITH_STANDINGS(only_what_was_touched_is_read_again)
{
    struct run_spec other = run_spec_default();

    do_not_sync(db);
    other.batch_size++;
    ENDED(db, 100);
    ENDED(db, 200, .spec = &other);
    update(db, standings);
    EXPECT_INT((long long)standings->count, 2);
    execute(db, "UPDATE runs SET samples_per_second = samples_per_second + 1");
    update(db, standings); /* behind its back: nothing says that it changed */
    EXPECT_NEAR(standings->list[0].standing.value, 100, 0.01);
    ENDED(db, 203, .spec = &other);
    update(db, standings);
    EXPECT_NEAR(standings->list[0].standing.value, 100, 0.01);
    EXPECT_NEAR(standings->list[1].standing.value, 202, 0.01);
    execute(db, "UPDATE revision SET number = number + 1");
    update(db, standings); /* something changed, but none of these */
    EXPECT_NEAR(standings->list[0].standing.value, 100, 0.01);
    EXPECT_INT(standings->revision, revision_of(db));
    ENDED(db, 103);
    update(db, standings);
    EXPECT_NEAR(standings->list[0].standing.value, 102, 0.01);
    EXPECT_INT((long long)standings->count, 2);
}

/* What was brought up to date step by step is what is read at once. */
TEST_WITH_DATABASE(small_steps_give_the_same)
{
    AUTO(standings_free) struct standings slow = {0}, fast = {0};
    char instance[20];

    do_not_sync(db);
    for (int i = 0; i < 80; i++) { /* more than there is room for at first */
        snprintf(instance, sizeof instance, "type-%d", i % 70);
        ENDED(db, 100 + i, .instance = instance);
        if (i % 9 == 0)
            update(db, &slow);
    }
    update(db, &slow);
    update(db, &fast);
    EXPECT_INT((long long)slow.count, 70);
    EXPECT_INT((long long)fast.count, 70);
    for (size_t i = 0; i < slow.count && i < fast.count; i++) {
        EXPECT_HAS(slow.list[i], (id, fast.list[i].id), (instance, fast.list[i].instance),
                   (standing.value, fast.list[i].standing.value),
                   (standing.runs, i < 10 ? 2 : 1));
    }
}

TEST(an_id_is_of_the_key_and_not_of_its_turn)
{
    char ids[2][CONTENDER_ID_SIZE];

    for (int turn = 0; turn < 2; turn++) {
        NEW_DATABASE(db);
        AUTO(standings_free) struct standings standings = {0};

        do_not_sync(db);
        if (turn == 1)
            ENDED(db, 1, .instance = "before");
        ENDED(db, 100, .instance = "x");
        update(db, &standings);
        memcpy(ids[turn], standings.list[standings.count - 1].id, sizeof ids[turn]);
        EXPECT_STR(standings.list[standings.count - 1].instance, "x");
        EXPECT(turn == 0 || strcmp(standings.list[0].id, ids[1]) != 0);
    }
    EXPECT_STR(ids[1], ids[0]);
}

TEST_WITH_STANDINGS(the_newest_run_gives_machine_engine_and_price)
{
    const struct newest *newest;

    ENDED(db, 90, .stratum = "s1", .software = "native 1");
    ENDED(db, 100, .stratum = "s1", .software = "native 2",
          .details = "{\"isa\":\"amx\",\"threads\":4,\"multiply_adds\":4100000000}",
          .paid = {.per_hour = 0.3,
                   .nanos = 400000000,
                   .currency = "USD",
                   .kind = "spot",
                   .feed = "aws-spot"});
    update(db, standings);
    newest = &only(standings)->newest;
    EXPECT_INT((long long)strlen(newest->run), 26);
    EXPECT_HAS(*newest, (software, "native 2"), (isa, "amx"), (cpu_model, "A CPU"),
               (machine_isa, "avx2"), (threads, 4), (multiply_adds, 4.1e9), (paid_per_hour, 0.3),
               (paid_kind, "spot"), (paid_feed, "aws-spot"));
}

static double hertz_of(struct db *db)
{
    AUTO(standings_free) struct standings standings = {0};

    update(db, &standings);
    return only(&standings)->newest.hertz;
}

TEST_WITH_DATABASE(the_clock_is_the_median_of_the_newest_runs_canaries)
{
    static const struct {
        const char *rows; /* run, position, steps, hertz, copied */
        double hertz;
    } more[] = {
        {"(2, 0, 0, 5e9, 1), (1, 0, 0, 9e9, 1)", 5e9},
        {"(2, 1, 1, 2e9, 1)", 5e9}, /* of two the higher */
        {"(2, 2, 2, 3e9, 1)", 3e9},
        {"(2, 3, 3, 1e9, 1), (2, 4, 4, 1e9, 1)", 2e9},
    };

    ENDED(db, 90);
    ENDED(db, 100);
    EXPECT_NEAR(hertz_of(db), 0, 0);
    for (size_t i = 0; i < COUNT(more); i++) {
        execute_with(db, "INSERT INTO canaries VALUES %s", more[i].rows);
        EXPECT_NEAR(hertz_of(db), more[i].hertz, 0);
    }
}

TEST_WITH_STANDINGS(texts_that_are_too_long_are_cut)
{
    ENDED(db, 100, .low = 99, .high = 101);
    ENDED(db, 101, .low = 100, .high = 102);
    execute(db, "UPDATE runs SET software = printf('%.*c', 500, 'x'),"
                " vm = printf('i%.*c', 100, '0') || number");
    update(db, standings);
    EXPECT_INT((long long)strlen(only(standings)->newest.software),
               (long long)sizeof only(standings)->newest.software - 1);
    EXPECT_INT(only(standings)->standing.vms, 1); /* alike as far as they are kept */
}

#define OLD "worker 0.0.9, oneDNN 2.6.3, 2 threads"
#define NEW "worker 0.1.0, oneDNN 3.7.2, 8 threads"
#define LIBRARY(version) "{\"library\":\"oneDNN " version "\",\"plan\":\"measured\"}"

/* Three machines of an old version at 50, three of a new one at 80: not one row of 65. */
TEST_WITH_STANDINGS(versions_are_not_put_together_and_the_newest_is_the_standing)
{
    static const char *const vms[] = {"a", "b", "c"};

    do_not_sync(db);
    for (size_t i = 0; i < COUNT(vms); i++)
        ENDED(db, 80, .low = 79, .high = 81, .software = NEW, .details = LIBRARY("3.7.2"),
              .vm = vms[i]);
    for (size_t i = 0; i < COUNT(vms); i++) /* reported later, and no newer for that */
        ENDED(db, 50, .low = 49, .high = 51, .software = OLD, .details = LIBRARY("2.6.3"),
              .vm = vms[i]);
    update(db, standings);
    const struct contender *contender = only(standings);
    EXPECT_NEAR(contender->standing.value, 80, 0.01);
    EXPECT_HAS(*contender, (standing.vms, 3),
               (version, "worker 0.1.0, oneDNN 3.7.2, plan measured"), (newest.software, NEW),
               (older_count, 1), (older[0].version, "worker 0.0.9, oneDNN 2.6.3, plan measured"));
    EXPECT_NEAR(contender->older[0].standing.value, 50, 0.01);
    EXPECT_INT(contender->older[0].standing.runs, 3);
}

TEST_WITH_STANDINGS(a_newer_version_without_an_interval_waits_outside_the_standing)
{
    ENDED(db, 50, .low = 49, .high = 51, .software = OLD, .details = "{\"plan\":\"cached\"}");
    ENDED(db, 52, .low = 50, .high = 53, .software = OLD, .details = "{\"plan\":\"measured\"}");
    ENDED(db, 80, .software = NEW);
    ENDED(db, 90, .software = NEW " and more", .validity = VALIDITY_INVALID);
    update(db, standings);
    EXPECT_STR(only(standings)->version, "worker 0.0.9, oneDNN 2.6.3, plan measured");
    EXPECT_INT(only(standings)->standing.runs, 2); /* a plan from the cache was measured */
    EXPECT_HAS(*only(standings), (standing.invalid, 1), (older_count, 1),
               (older[0].version, "worker 0.1.0, oneDNN 3.7.2"));
    ENDED(db, 80, .low = 79, .high = 81, .software = NEW);
    ENDED(db, 81, .low = 79, .high = 81, .software = NEW);
    ENDED(db, 82, .low = 79, .high = 81, .software = NEW);
    update(db, standings);
    EXPECT_HAS(*only(standings), (version, "worker 0.1.0, oneDNN 3.7.2"), (standing.runs, 3),
               (standing.too_short, 1));
}

TEST(what_was_paid_is_known_in_dollars_only)
{
    static const struct {
        struct paid_price price;
        double paid;
    } cases[] = {
        {{.per_hour = 0.4, .kind = "on_demand", .currency = "USD"}, 0.4},
        {{.per_hour = 0.4, .kind = "on_demand", .currency = "EUR"}, 0},
        {{.kind = "on_demand", .currency = "USD"}, 0},
        {{.per_hour = 0}, 0},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        NEW_DATABASE(db);
        AUTO(standings_free) struct standings standings = {0};

        ENDED(db, 90, .paid = cases[i].price);
        update(db, &standings);
        EXPECT_NEAR(only(&standings)->newest.paid_per_hour, cases[i].paid, 0);
    }
}

TEST_WITH_STANDINGS(a_figure_is_a_point_with_its_source)
{
    execute(db, "UPDATE revision SET number = number + 1;"
                "INSERT INTO contenders SELECT 1, 'resnet50', 'pytorch', '{}', 'aws',"
                " 'g5.2xlarge', '', 1, number FROM revision;"
                "INSERT INTO figures VALUES (1, 'f', 1, 340, 'sample', 1, 'an article',"
                " 'one run', 55)");
    update(db, standings);
    const struct contender *contender = only(standings);
    EXPECT_HAS(*contender, (is_published, true), (standing.level, STANDING_POINT));
    EXPECT_NEAR(contender->standing.value, 340, 0.01);
    EXPECT_HAS(*contender, (standing.interval.known, false), (standing.runs, 0),
               (standing.newest_us, 55), (published.source, "an article"),
               (published.note, "one run"), (published.unit, "sample"), (published.derived, true),
               (newest.run, ""));
}

TEST_WITH_STANDINGS(a_figure_and_a_run_of_one_key_are_two)
{
    ENDED(db, 100);
    EXPECT(
        db_execute(db,
                   "INSERT INTO contenders SELECT 2, workload, engine, configuration, provider,"
                   " instance, stratum, 1, changed FROM contenders",
                   NULL));
    update(db, standings);
    EXPECT_INT((long long)standings->count, 2);
    EXPECT(strcmp(standings->list[0].id, standings->list[1].id) != 0);
    EXPECT_INT(standings->list[1].standing.level,
               STANDING_NONE); /* its number is not known yet */
}

TEST_WITH_STANDINGS(an_update_that_fails_leaves_them_as_they_were)
{
    struct error err = {0};
    long long revision;

    ENDED(db, 100);
    update(db, standings);
    revision = standings->revision;
    ENDED(db, 102);
    execute(db, "ALTER TABLE runs RENAME COLUMN vm TO away");
    EXPECT(!standings_update(db, standings, &err));
    EXPECT(err.message[0]);
    EXPECT_INT(standings->revision, revision);
    EXPECT_NEAR(only(standings)->standing.value, 100, 0.01);
    execute(db, "ALTER TABLE runs RENAME COLUMN away TO vm");
    update(db, standings);
    EXPECT_NEAR(only(standings)->standing.value, 101, 0.01);
}
