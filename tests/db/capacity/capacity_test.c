#include "db/capacity/capacity.h"

#include "tests/db/database.h"

#define DAY_US 86400000000LL

/* ADD(db, .kind = "preempted"); what a test does not say is the usual. Answers whether the event
 * is new. */
#define ADD(db, ...) add((db), (struct capacity_event){__VA_ARGS__})

static void set(char *text, size_t size, const char *usual)
{
    if (!*text)
        snprintf(text, size, "%s", usual);
}

static bool add(struct db *db, struct capacity_event event)
{
    bool is_new = false;

    if (!event.price_kind)
        event.price_kind = "spot";
    if (event.at_us == 0)
        event.at_us = NOON_US;
    set(event.provider, sizeof event.provider, "aws");
    set(event.instance_type, sizeof event.instance_type, "c5.large");
    set(event.zone, sizeof event.zone, "us-east-1a");
    EXPECT_OK(capacity_add(db, &event, &is_new, &err));
    return is_new;
}

static void describe(void *user, const struct capacity_count *count)
{
    add_text(user, 600, "%s %s %s %s: %lld %lld %lld\n", count->instance_type, count->provider,
             count->zone, count->price_kind, count->launched, count->launch_failed,
             count->preempted);
}

static const char *counts_of(struct db *db, struct capacity_filter filter)
{
    static char text[600];

    text[0] = '\0';
    filter.limit = filter.limit ? filter.limit : 100;
    EXPECT_OK(capacity_each(db, &filter, describe, text, &err));
    return text;
}

TEST_WITH_DATABASE(events_are_counted_for_each_zone_and_kind_of_price)
{
    EXPECT_STR(counts_of(db, (struct capacity_filter){0}), "");
    ADD(db, .kind = "launched");
    ADD(db, .kind = "launched");
    ADD(db, .kind = "launch_failed");
    ADD(db, .kind = "preempted");
    ADD(db, .kind = "launched", .zone = "us-east-1b");
    ADD(db, .kind = "launch_failed", .price_kind = "on_demand");
    EXPECT_STR(counts_of(db, (struct capacity_filter){0}),
               "c5.large aws us-east-1a on_demand: 0 1 0\n"
               "c5.large aws us-east-1a spot: 2 1 1\n"
               "c5.large aws us-east-1b spot: 1 0 0\n");
}

TEST_WITH_DATABASE(filters_the_window_and_pages)
{
    ADD(db, .kind = "launched", .at_us = NOON_US - 2 * DAY_US);
    ADD(db, .kind = "launched");
    ADD(db, .kind = "launched", .instance_type = "m5.large", .provider = "gcp", .zone = "z");
    EXPECT_STR(counts_of(db, (struct capacity_filter){.provider = "gcp"}),
               "m5.large gcp z spot: 1 0 0\n");
    EXPECT_STR(counts_of(db, (struct capacity_filter){.instance_type = "c5.large"}),
               "c5.large aws us-east-1a spot: 2 0 0\n");
    EXPECT_STR(counts_of(db, (struct capacity_filter){.zone = "z", .price_kind = "spot"}),
               "m5.large gcp z spot: 1 0 0\n");
    EXPECT_STR(counts_of(db, (struct capacity_filter){.price_kind = "on_demand"}), "");
    EXPECT_STR(counts_of(db, (struct capacity_filter){.since_us = NOON_US, .limit = 1}),
               "c5.large aws us-east-1a spot: 1 0 0\n");
    EXPECT_STR(counts_of(db, (struct capacity_filter){.after = "c5.large aws us-east-1a spot"}),
               "m5.large gcp z spot: 1 0 0\n");
}

TEST_WITH_DATABASE(a_machine_counts_once_for_each_kind)
{
    EXPECT(ADD(db, .kind = "launched", .machine = "i1"));
    EXPECT(!ADD(db, .kind = "launched", .machine = "i1"));
    EXPECT(ADD(db, .kind = "preempted", .machine = "i1"));
    EXPECT(ADD(db, .kind = "launched", .machine = "i1", .provider = "gcp"));
    EXPECT(ADD(db, .kind = "launched"));
    EXPECT(ADD(db, .kind = "launched"));
    EXPECT_STR(counts_of(db, (struct capacity_filter){.provider = "aws"}),
               "c5.large aws us-east-1a spot: 3 0 1\n");
}

TEST_WITH_DATABASE(the_events_of_a_sender_are_forgotten_and_may_come_again)
{
    long long count = -1;

    ADD(db, .kind = "preempted", .machine = "i1", .sender = "c1");
    ADD(db, .kind = "preempted", .machine = "i2", .sender = "c10");
    ADD(db, .kind = "preempted", .machine = "i3");
    EXPECT(capacity_forget_sender(db, "c1", &count, NULL));
    EXPECT_INT(count, 1);
    EXPECT_STR(counts_of(db, (struct capacity_filter){0}),
               "c5.large aws us-east-1a spot: 0 0 2\n");
    EXPECT(capacity_forget_sender(db, "c1", &count, NULL));
    EXPECT_INT(count, 0);
    /* A made-up event does not stand in the way of a true one of the same machine. */
    EXPECT(ADD(db, .kind = "preempted", .machine = "i1"));
}

TEST_WITH_DATABASE(an_event_raises_the_revision_and_leaves_prices_as_they_are)
{
    long long before = 0, after = 0, prices_before = 0, prices_after = 0;

    EXPECT(revision_read(db, &before, NULL) && revision_read_prices(db, &prices_before, NULL));
    ADD(db, .kind = "launched");
    EXPECT(revision_read(db, &after, NULL) && revision_read_prices(db, &prices_after, NULL));
    EXPECT(after > before);
    EXPECT_INT(prices_after, prices_before);
}

TEST_WITH_DATABASE(a_word_that_is_no_kind_is_refused)
{
    const struct capacity_event event = {.kind = "lost", .price_kind = "spot"};
    bool is_new;

    EXPECT(!capacity_add(db, &event, &is_new, NULL));
    EXPECT_STR(counts_of(db, (struct capacity_filter){0}), "");
}

TEST_WITH_DATABASE(a_comparison_counts_spot_machines_by_type)
{
    AUTO(capacity_counts_free) struct capacity_counts counts = {0}, in_zone = {0};
    const struct capacity_count *count;

    ADD(db, .kind = "launched");
    ADD(db, .kind = "preempted", .zone = "us-east-1b");
    ADD(db, .kind = "launched", .price_kind = "on_demand");
    ADD(db, .kind = "launched", .instance_type = "a1.large");
    ADD(db, .kind = "launched", .at_us = NOON_US + 1);
    ADD(db, .kind = "launched", .at_us = NOON_US - CAPACITY_DAYS * DAY_US);
    EXPECT(capacity_counts_load(db, NOON_US, NULL, &counts, NULL));
    EXPECT_INT((long long)counts.count, 2);
    count = capacity_counts_find(&counts, "aws", "c5.large");
    EXPECT(count && count->launched == 1 && count->preempted == 1);
    EXPECT(!capacity_counts_find(&counts, "gcp", "c5.large"));
    EXPECT(!capacity_counts_find(&in_zone, "aws", "c5.large"));
    EXPECT(capacity_counts_load(db, NOON_US, "us-east-1b", &in_zone, NULL));
    EXPECT_INT((long long)in_zone.count, 1);
}
