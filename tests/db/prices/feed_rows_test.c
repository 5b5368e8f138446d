#include "db/prices/feed_rows.h"

#include "tests/db/database.h"

static struct feed_row full_row(void)
{
    return (struct feed_row){.feed = "made-up",
                             .scope = "eu-north-1",
                             .address = "EU (Stockholm)",
                             .state = "ok",
                             .reason = "",
                             .checked_us = NOON_US,
                             .confirmed_us = NOON_US - 1,
                             .changed_us = NOON_US - 2,
                             .source_us = NOON_US - 3,
                             .etag = "\"abc\"",
                             .last_modified = "Tue, 14 Nov 2023 22:13:20 GMT",
                             .mark = "20231114",
                             .status = 200,
                             .bytes = 5000000000,
                             .prices = 12,
                             .failures = 3,
                             .tally = {11, 22, 33, 44, 55}};
}

static void expect_row(const struct feed_row *row, const struct feed_row *wanted)
{
    EXPECT_SAME(*row, *wanted, feed, scope, address, state, reason, checked_us, confirmed_us,
                changed_us, source_us, etag, last_modified, mark, status, bytes, prices,
                failures);
    EXPECT_SAME(row->tally, wanted->tally, seen, unpriced, malformed, ambiguous, expensive);
}

TEST_WITH_DATABASE(a_state_is_found_as_it_was_stored)
{
    struct feed_row stored = full_row(), found;

    EXPECT(feed_rows_store(db, &stored, NULL));
    EXPECT(feed_rows_find(db, "made-up", "eu-north-1", &found, NULL));
    expect_row(&found, &stored);
    stored.state = "failed"; /* and takes the place of what was */
    snprintf(stored.reason, sizeof stored.reason, "no answer");
    stored.failures++;
    EXPECT(feed_rows_store(db, &stored, NULL));
    EXPECT(feed_rows_find(db, "made-up", "eu-north-1", &found, NULL));
    expect_row(&found, &stored);
    EXPECT_ROWS(db, 1, "feed_states");
}

TEST_WITH_DATABASE(a_feed_that_was_never_asked_has_only_its_names)
{
    struct feed_row stored = full_row(), found = full_row();

    EXPECT(feed_rows_store(db, &stored, NULL));
    EXPECT(feed_rows_find(db, "made-up", "eu-west-1", &found, NULL));
    expect_row(&found,
               &(struct feed_row){.feed = "made-up", .scope = "eu-west-1", .state = "failed"});
}

TEST_WITH_DATABASE(only_what_was_accepted_is_a_reading)
{
    struct feed_row row = full_row();

    row.state = "failed";
    EXPECT(feed_rows_store(db, &row, NULL));
    EXPECT_ROWS(db, 0, "readings");
    row.state = "unchanged";
    EXPECT(feed_rows_store(db, &row, NULL));
    EXPECT_INT(number_of(db, "SELECT fetched_us FROM readings"), row.confirmed_us);
    EXPECT_INT(number_of(db, "SELECT source_us FROM readings"), row.source_us);
}

static void names(void *user, const struct feed_row *row)
{
    add_text(user, 200, "%s/%s ", row->feed, row->scope);
}

TEST_WITH_DATABASE(states_are_listed_by_feed_and_scope)
{
    static const char *const stored[][2] = {{"b", "y"}, {"a", "z"}, {"b", "x"}, {"ab", ""}};
    char all[200] = "", some[200] = "", rest[200] = "";

    for (size_t i = 0; i < COUNT(stored); i++) {
        struct feed_row row = {.state = "unchanged", .confirmed_us = 5};

        snprintf(row.feed, sizeof row.feed, "%s", stored[i][0]);
        snprintf(row.scope, sizeof row.scope, "%s", stored[i][1]);
        EXPECT(feed_rows_store(db, &row, NULL));
    }
    EXPECT(feed_rows_each(db, NULL, names, all, NULL));
    EXPECT_STR(all, "a/z ab/ b/x b/y ");
    EXPECT(feed_rows_each(db, "b", names, some, NULL));
    EXPECT_STR(some, "b/x b/y ");
    EXPECT(feed_rows_forget(db, "b", "x", NULL));
    EXPECT(feed_rows_forget(db, "unknown", "x", NULL));
    EXPECT(feed_rows_each(db, NULL, names, rest, NULL));
    EXPECT_STR(rest, "a/z ab/ b/y ");
    EXPECT_ROWS(db, 4, "readings");
}

TEST_WITH_DATABASE(a_state_of_no_kind_is_not_stored)
{
    struct feed_row row = full_row();

    row.state = "splendid";
    EXPECT_ERROR(feed_rows_store(db, &row, &err), ERROR_INTERNAL);
    EXPECT_ROWS(db, 0, "feed_states");
    EXPECT_ROWS(db, 0, "readings");
}

TEST_WITH_DATABASE(a_count_that_cannot_be_read_is_none)
{
    struct feed_row row = full_row();

    EXPECT(feed_rows_store(db, &row, NULL));
    execute(db, "UPDATE feed_states SET tally = '1 2 3 4'");
    EXPECT(feed_rows_find(db, "made-up", "eu-north-1", &row, NULL));
    EXPECT_HAS(row.tally, (seen, 0), (ambiguous, 0));
}
