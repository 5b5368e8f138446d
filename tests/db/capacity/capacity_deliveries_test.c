#include "db/capacity/capacity_deliveries.h"

#include "tests/db/database.h"

#define HUB "https://hub.test"

static void add(struct db *db, const char *machine, bool own)
{
    struct capacity_event event = {.kind = "preempted",
                                   .price_kind = "spot",
                                   .provider = "aws",
                                   .instance_type = "c5.large",
                                   .zone = "us-east-1a",
                                   .note = "a note",
                                   .own = own,
                                   .at_us = NOON_US};
    bool is_new;

    snprintf(event.machine, sizeof event.machine, "%s", machine);
    EXPECT(capacity_add(db, &event, &is_new, NULL) && is_new);
}

static long long next(struct db *db, const char *hub, struct capacity_event *event)
{
    long long number = -1;

    EXPECT_OK(capacity_deliveries_next(db, hub, event, &number, &err));
    return number;
}

static long long waiting(struct db *db, const char *hub)
{
    long long count = -1;

    EXPECT(capacity_deliveries_waiting(db, hub, &count, NULL));
    return count;
}

TEST_WITH_DATABASE(what_this_machine_saw_waits_for_each_hub)
{
    struct capacity_event event = {0};

    add(db, "theirs", false); /* 1: somebody reported it */
    add(db, "ours", true);
    EXPECT_INT(waiting(db, HUB), 1);
    EXPECT_INT(next(db, HUB, &event), 2);
    EXPECT_HAS(event, (kind, "preempted"), (price_kind, "spot"), (provider, "aws"),
               (instance_type, "c5.large"), (zone, "us-east-1a"), (machine, "ours"),
               (note, "a note"), (at_us, NOON_US));
    EXPECT(capacity_deliveries_record(db, HUB, 2, NULL, NOON_US, NULL));
    EXPECT_INT(next(db, HUB, &event), 0);
    EXPECT_INT(next(db, "https://another.test", &event), 2);
}

TEST_WITH_DATABASE(what_a_hub_refused_waits_again_when_that_is_asked)
{
    add(db, "a", true);
    add(db, "b", true);
    EXPECT(capacity_deliveries_record(db, HUB, 1, "it said no", NOON_US, NULL));
    EXPECT(capacity_deliveries_record(db, HUB, 2, NULL, NOON_US, NULL));
    EXPECT_INT(waiting(db, HUB), 0);
    EXPECT(capacity_deliveries_forget_refusals(db, HUB, NULL));
    EXPECT_INT(waiting(db, HUB), 1);
}
