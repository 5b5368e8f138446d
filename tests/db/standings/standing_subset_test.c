#include "db/standings/standing_subset.h"

#include "tests/db/finished.h"

/* A run that ended with labels "branch" and "ticket". */
static void end_labelled(struct db *db, const char *branch, const char *ticket,
                         const struct ended *ended)
{
    struct run_spec spec = run_spec_default();
    struct ended labelled = *ended;

    spec.label_count = 2;
    spec.labels[0] = (struct label){.key = "branch"};
    spec.labels[1] = (struct label){.key = "ticket"};
    snprintf(spec.labels[0].value, sizeof spec.labels[0].value, "%s", branch);
    snprintf(spec.labels[1].value, sizeof spec.labels[1].value, "%s", ticket);
    labelled.spec = &spec;
    end_run(db, &labelled);
}
#define END(db, branch, ticket, ...)                                                             \
    end_labelled((db), (branch), (ticket), &(struct ended){.value = __VA_ARGS__})

static const struct wanted_label main_branch = {"branch", "main"},
                                 fast_branch = {"branch", "fast"};

static struct standings subset_of(struct db *db, struct standing_subset subset)
{
    struct standings standings = {0};
    bool cut = true;

    EXPECT_OK(standings_of_subset(db, &subset, &standings, &cut, &err));
    EXPECT(!cut);
    return standings;
}

static struct standings with(struct db *db, const struct wanted_label *labels, int count)
{
    return subset_of(db, (struct standing_subset){.labels = labels, .label_count = count});
}

TEST_WITH_DATABASE(branches_are_told_apart)
{
    do_not_sync(db);
    END(db, "main", "1", 100, .low = 99, .high = 101, .software = "m 1");
    END(db, "fast", "2", 200, .low = 199, .high = 201, .software = "f 1");
    END(db, "main", "3", 110, .low = 109, .high = 111, .software = "m 1");
    AUTO(standings_free) struct standings all = {0};
    AUTO(standings_free) struct standings ours = with(db, &main_branch, 1);
    AUTO(standings_free) struct standings theirs = with(db, &fast_branch, 1);

    update(db, &all);
    EXPECT_INT((long long)all.count, 1); /* together they are one */
    EXPECT_INT((long long)ours.count, 1);
    EXPECT_INT((long long)theirs.count, 1);
    EXPECT_INT(ours.list[0].standing.runs, 2);
    EXPECT_NEAR(ours.list[0].standing.values[0], 110, 0); /* the newest first */
    EXPECT_HAS(ours.list[0], (standing.values[1], 100), (newest.software, "m 1"));
    EXPECT_INT(theirs.list[0].standing.runs, 1);
    EXPECT_NEAR(theirs.list[0].standing.value, 200, 1e-9);
    EXPECT_STR(theirs.list[0].newest.software, "f 1");
    EXPECT_STR(ours.list[0].id, all.list[0].id);
    EXPECT_STR(theirs.list[0].configuration, all.list[0].configuration);
}

TEST_WITH_DATABASE(all_labels_must_match)
{
    static const struct wanted_label both[] = {{"branch", "main"}, {"ticket", "1"}},
                                     four[] = {{"ticket", "1"},
                                               {"branch", "main"},
                                               {"ticket", "1"},
                                               {"branch", "main"}},
                                     none[] = {{"branch", "main"}, {"ticket", "2"}},
                                     unknown[] = {{"branch", "mian"}};

    do_not_sync(db);
    END(db, "main", "1", 100);
    END(db, "fast", "1", 200);
    END(db, "fast", "2", 300);
    AUTO(standings_free) struct standings of_both = with(db, both, 2);
    AUTO(standings_free) struct standings of_four = with(db, four, 4);
    AUTO(standings_free) struct standings of_none = with(db, none, 2);
    AUTO(standings_free) struct standings of_unknown = with(db, unknown, 1);

    EXPECT_INT((long long)of_both.count, 1);
    EXPECT_NEAR(of_both.list[0].standing.value, 100, 1e-9);
    EXPECT_HAS(of_four, (count, 1), (list[0].standing.runs, 1));
    EXPECT_INT((long long)of_none.count, 0);
    EXPECT_INT((long long)of_unknown.count, 0);
}

/* The runs with a label that all runs have give the standings of all runs. */
TEST_WITH_DATABASE(a_label_of_all_runs_changes_nothing)
{
    static const char *const machines[] = {"a", "b", "c"}, *const software[] = {"n 1", "n 2"};
    static const struct wanted_label everywhere = {"ticket", "7"};
    AUTO(standings_free) struct standings all = {0};

    do_not_sync(db);
    for (int i = 0; i < 24; i++)
        END(db, "x", "7", 100 + i, .low = 99 + i, .high = 101 + i, .vm = machines[i % 3],
            .instance = i % 2 ? "m5.large" : "c5.large", .software = software[i / 5 % 2],
            .validity = i % 7 == 3 ? VALIDITY_INVALID : VALIDITY_OK, .at_us = NOON_US + i);
    END(db, "x", "7", 1, .instance = "bad.large", .validity = VALIDITY_INVALID);
    update(db, &all);
    AUTO(standings_free) struct standings labelled = with(db, &everywhere, 1);

    EXPECT_INT((long long)labelled.count, (long long)all.count);
    for (size_t i = 0; i < all.count && i < labelled.count; i++) {
        const struct contender *one = &all.list[i], *other = &labelled.list[i];

        EXPECT_SAME(*other, *one, id, version, newest.run, standing.level, standing.runs,
                    standing.vms, standing.invalid);
        EXPECT_NEAR(other->standing.value, one->standing.value, 1e-9);
        EXPECT_INT((long long)other->older_count, (long long)one->older_count);
        EXPECT(other->older_count == 0 ||
               strcmp(other->older[0].version, one->older[0].version) == 0);
    }
}

TEST_WITH_DATABASE(a_run_that_has_not_finished_is_no_part_of_it)
{
    do_not_sync(db);
    END(db, "main", "1", 100, .failed = true);
    AUTO(standings_free) struct standings none = with(db, &main_branch, 1);
    EXPECT_INT((long long)none.count, 0);
    END(db, "main", "1", 100);
    AUTO(standings_free) struct standings one = with(db, &main_branch, 1);
    EXPECT_INT((long long)one.count, 1);
}

TEST_WITH_DATABASE(only_so_many_of_the_newest_are_looked_at)
{
    AUTO(standings_free) struct standings standings = {0};
    bool cut = false;

    do_not_sync(db);
    END(db, "main", "1", 100);
    /* Labels of runs that are not there: only their number counts. */
    execute_with(db,
                 "PRAGMA foreign_keys = off;"
                 "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
                 " INSERT INTO run_labels SELECT 'branch', 'main', 1000000 + i FROM n;",
                 STANDING_SUBSET_RUNS_MAX);
    EXPECT(standings_of_subset(
        db, &(struct standing_subset){.labels = &main_branch, .label_count = 1}, &standings, &cut,
        NULL));
    EXPECT(cut);
    EXPECT_INT((long long)standings.count, 0);
}

static struct standings sent_by(struct db *db, const char *sender,
                                const struct wanted_label *label)
{
    return subset_of(db, (struct standing_subset){
                             .labels = label, .label_count = label ? 1 : 0, .sender = sender});
}

TEST_WITH_DATABASE(senders_are_told_apart)
{
    do_not_sync(db);
    END(db, "main", "1", 100, .low = 99, .high = 101);
    send_copies(db, "ann", 2, 110, 1);
    send_copies(db, "mallory", 3, 900, 1);
    END(db, "fast", "2", 120, .low = 119, .high = 121);
    AUTO(standings_free) struct standings all = {0};
    AUTO(standings_free) struct standings here = sent_by(db, "local", NULL);
    AUTO(standings_free) struct standings mallory = sent_by(db, "mallory", NULL);
    AUTO(standings_free) struct standings fast = sent_by(db, "local", &fast_branch);
    AUTO(standings_free) struct standings main = sent_by(db, "ann", &main_branch);
    AUTO(standings_free) struct standings neither = sent_by(db, "ann", &fast_branch);
    AUTO(standings_free) struct standings unknown = sent_by(db, "zoe", NULL);

    update(db, &all);
    EXPECT_HAS(here.list[0], (standing.runs, 2), (source_count, 1));
    EXPECT_INT(mallory.list[0].standing.runs, 3); /* in the row of all runs it stands aside */
    EXPECT_NEAR(mallory.list[0].standing.value, 900, 1e-9);
    EXPECT(all.list[0].standing.value < 130);
    EXPECT_HAS(mallory.list[0], (sources[0].name, "mallory"), (id, all.list[0].id));
    EXPECT_NEAR(fast.list[0].standing.value, 120, 1e-9);
    EXPECT_INT(main.list[0].standing.runs, 2);
    EXPECT_INT((long long)(neither.count + unknown.count), 0);
}

/* Then the name means both, in the order in which they came. */
TEST_WITH_DATABASE(a_token_may_be_named_local)
{
    do_not_sync(db);
    END(db, "main", "1", 100, .low = 99, .high = 101);
    send_copies(db, "local", 2, 101, 1);
    send_copies(db, "ann", 4, 102, 1);
    AUTO(standings_free) struct standings both = sent_by(db, "local", NULL);
    AUTO(standings_free) struct standings labelled = sent_by(db, "local", &main_branch);

    EXPECT_INT((long long)both.list[0].source_count, 2);
    EXPECT_INT((long long)labelled.list[0].source_count, 2);
}
